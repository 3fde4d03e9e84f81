"""The four tools of the `coverage` family."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import trio

from tools.coverage.inputs import (
    END_OUTPUT,
    FILES_OUTPUT,
    OVERALL_OUTPUT,
    START_OUTPUT,
    EndSnapshotInput,
    FileCoverageInput,
    OverallCoverageInput,
    StartSnapshotInput,
)
from tools.coverage.lcov_files import LcovFiles
from tools.coverage.path_match import ReportPaths, absolute
from tools.coverage.report import LineReport, change, shown
from tools.coverage.snapshots import ReportSnapshot, SnapshotStore
from tools.publishing import acting, looking
from tools.roots import AllowedRoots
from tools.tool import Answer, Deadline, Family, JsonObject, Scope, Tool

Result = TypeVar("Result")


class LcovTools:
    """The tools over one set of allowed roots. `wall_clock` gives Unix seconds."""

    def __init__(self, roots: AllowedRoots, store: SnapshotStore, wall_clock: Callable[[], float]) -> None:
        self._files = LcovFiles(roots)
        self._store = store
        self._wall_clock = wall_clock

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "get_overall_coverage",
                "Analyzes an LCOV coverage file and returns the overall line coverage percentage for the entire"
                " project. Use this before making code changes to establish a baseline. Returns a single percentage"
                " value representing total project coverage.",
                (OverallCoverageInput, OVERALL_OUTPUT),
                self.overall,
                family=Family.COVERAGE,
                title="Overall coverage",
                deadline=Deadline.ANALYSIS,
            ),
            looking(
                "get_file_coverage",
                "Returns line coverage percentage for specific files only. Use this after modifying files to"
                " check coverage impact on just those files. More efficient than parsing the entire report when you"
                " only care about specific files. Returns coverage percentage for each requested file; files that the"
                " report does not have get 0.",
                (FileCoverageInput, FILES_OUTPUT),
                self.by_file,
                family=Family.COVERAGE,
                title="Coverage of files",
                deadline=Deadline.ANALYSIS,
            ),
            acting(
                "start_coverage_snapshot",
                "Creates a snapshot of current coverage state for later comparison. Use this before making code"
                " changes to track coverage impact. The snapshot is stored temporarily and can be compared later using"
                " end_coverage_snapshot. Returns a snapshot ID that must be saved for the comparison step.",
                (StartSnapshotInput, START_OUTPUT),
                self.start,
                family=Family.COVERAGE,
                title="Take a snapshot",
                deadline=Deadline.ANALYSIS,
                idempotent=False,
                scope=Scope.READ,
            ),
            looking(
                "end_coverage_snapshot",
                "Compares current coverage against a previously created snapshot and returns the difference."
                " Shows overall coverage change and per-file changes (increases/decreases). Use this after making code"
                " changes to see coverage impact. Identifies new files added and files removed since the snapshot.",
                (EndSnapshotInput, END_OUTPUT),
                self.end,
                family=Family.COVERAGE,
                title="Compare with a snapshot",
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def overall(self, inputs: OverallCoverageInput) -> Answer:
        report = await self._files.read(inputs.lcov_path)
        return Answer({"overall": shown(report.overall)})

    async def by_file(self, inputs: FileCoverageInput) -> Answer:
        report = await self._files.read(inputs.lcov_path)
        return await _in_thread(partial(self._percentages, report, inputs))

    def _percentages(self, report: LineReport, inputs: FileCoverageInput) -> Answer:
        paths = ReportPaths(report, self._files.folders_of(inputs.lcov_path))
        found = {path: paths.lines_of(path) for path in inputs.file_paths}
        return Answer({"files": {path: shown(lines.percentage) if lines else 0 for path, lines in found.items()}})

    async def start(self, inputs: StartSnapshotInput) -> Answer:
        report = await self._files.read(inputs.lcov_path)
        timestamp = int(self._wall_clock() * 1000)
        snapshot = await _in_thread(partial(self._store.save, report, inputs.lcov_path, self._files.base, timestamp))
        return Answer({"snapshotId": snapshot.snapshot_id, "timestamp": snapshot.timestamp})

    async def end(self, inputs: EndSnapshotInput) -> Answer:
        snapshot = await _in_thread(partial(self._store.load, inputs.snapshot_id))
        report = await self._files.read(inputs.lcov_path)
        return Answer(await _in_thread(partial(compared, snapshot, report, self._files.base)))


async def _in_thread(work: Callable[[], Result]) -> Result:
    return await trio.to_thread.run_sync(work, abandon_on_cancel=True)


def compared(snapshot: ReportSnapshot, report: LineReport, base: Path) -> JsonObject:
    """Changes since the snapshot, for every file of either side. A new file has gained what it has, a removed
    one lost what it had; a file that one side names relatively and the other absolutely is the same."""
    before = {absolute(path, Path(snapshot.base)): (path, lines) for path, lines in snapshot.report.files.items()}
    after = {absolute(path, base): (path, lines) for path, lines in report.files.items()}
    changes: dict[str, int | float] = {}
    for key in [*after, *(key for key in before if key not in after)]:
        path = (after.get(key) or before[key])[0]
        old = before[key][1].percentage if key in before else 0.0
        new = after[key][1].percentage if key in after else 0.0
        changes[path] = shown(change(old, new))
    return {
        "overallChange": shown(change(snapshot.report.overall, report.overall)),
        "fileChanges": changes,
        "newFiles": [path for key, (path, _) in after.items() if key not in before],
        "removedFiles": [path for key, (path, _) in before.items() if key not in after],
    }
