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
from tools.coverage.snapshots import Snapshot, SnapshotStore
from tools.roots import AllowedRoots
from tools.tool import Annotations, Answer, Deadline, Family, JsonObject, Tool

Result = TypeVar("Result")


class CoverageTools:
    """The tools over one set of allowed roots. `wall_clock` gives Unix seconds."""

    def __init__(self, roots: AllowedRoots, store: SnapshotStore, wall_clock: Callable[[], float]) -> None:
        self._files = LcovFiles(roots)
        self._store = store
        self._wall_clock = wall_clock

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


def compared(snapshot: Snapshot, report: LineReport, base: Path) -> JsonObject:
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


def coverage_tools(
    roots: AllowedRoots, wall_clock: Callable[[], float], store: SnapshotStore | None = None
) -> tuple[Tool[Any], ...]:
    """The family, ready to be registered."""
    tools = CoverageTools(roots, store or SnapshotStore(), wall_clock)
    make = partial(Tool, family=Family.COVERAGE, deadline=Deadline.ANALYSIS)
    return (
        make(
            name="get_overall_coverage",
            description="Analyzes an LCOV coverage file and returns the overall line coverage percentage for the entire"
            " project. Use this before making code changes to establish a baseline. Returns a single percentage value"
            " representing total project coverage.",
            arguments=OverallCoverageInput,
            call=tools.overall,
            output_schema=OVERALL_OUTPUT,
            annotations=Annotations.looking("Overall coverage"),
        ),
        make(
            name="get_file_coverage",
            description="Returns line coverage percentage for specific files only. Use this after modifying files to"
            " check coverage impact on just those files. More efficient than parsing the entire report when you only"
            " care about specific files. Returns coverage percentage for each requested file; files that the report"
            " does not have get 0.",
            arguments=FileCoverageInput,
            call=tools.by_file,
            output_schema=FILES_OUTPUT,
            annotations=Annotations.looking("Coverage of files"),
        ),
        make(
            name="start_coverage_snapshot",
            description="Creates a snapshot of current coverage state for later comparison. Use this before making code"
            " changes to track coverage impact. The snapshot is stored temporarily and can be compared later using"
            " end_coverage_snapshot. Returns a snapshot ID that must be saved for the comparison step.",
            arguments=StartSnapshotInput,
            call=tools.start,
            output_schema=START_OUTPUT,
            annotations=Annotations(title="Take a snapshot", read_only=False, destructive=False, idempotent=False),
        ),
        make(
            name="end_coverage_snapshot",
            description="Compares current coverage against a previously created snapshot and returns the difference."
            " Shows overall coverage change and per-file changes (increases/decreases). Use this after making code"
            " changes to see coverage impact. Identifies new files added and files removed since the snapshot.",
            arguments=EndSnapshotInput,
            call=tools.end,
            output_schema=END_OUTPUT,
            annotations=Annotations.looking("Compare with a snapshot"),
        ),
    )
