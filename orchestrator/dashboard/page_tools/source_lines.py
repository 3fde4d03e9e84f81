"""`page_files` and `page_source`: sources with counts, and which lines one entry or finding covers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

import numpy as np
import trio
from pydantic import Field

from actors.coverage.report import CoverageReport
from actors.coverage.tracker import CoverageSnapshot
from actors.steering.commands import ExecuteSequence
from simulator.corpus.feature_index import feature_numbers
from simulator.corpus.identity import sequence_hash
from simulator.coverage.annotation import AnnotatedLine
from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.code_map import CodeMap
from simulator.coverage.line_coverage import CoverageMapper
from simulator.known_names import known_names
from simulator.project import Project
from simulator.worker.reports import CoveredCells
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.coverage_tools import FRESH_SECONDS
from tools.campaign.fields import Integer
from tools.campaign.inputs import NoInput
from tools.campaign.naming import finding
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Deadline, Tool, ToolInput

MAX_LINES = 2_000
LEAST_AGE = 3.0
MAX_LINE_LENGTH = 400
MAX_FILES = 2_000
MAX_FUNCTIONS = 2_000
IsHit = Callable[[CodeMap, int], bool]


class PageSourceInput(ToolInput):
    file: str = Field(min_length=1, max_length=4_096)
    start_line: Integer = Field(default=1, ge=1, le=10_000_000, alias="startLine")
    limit: Integer = Field(default=MAX_LINES, ge=1, le=MAX_LINES)
    covered_by: str | None = Field(
        default=None, min_length=1, max_length=1_000, alias="coveredBy", description="Id of an entry or of a finding."
    )


def unknown_coverage(report: CoverageReport) -> str:
    """Why nothing is known of coverage; empty where something is."""
    if report.problem:
        return f"Sources cannot be mapped: {report.problem}"
    return "" if report.frames >= 0 else "Nothing is known yet: the first report of coverage is being made."


async def recent_report(parts: CampaignComponents) -> CoverageReport:
    """A report whose counts are some seconds old at most. A page that is looked at costs a hundredth of a core."""
    latest, took = parts.coverage.latest, parts.coverage.statistics().seconds
    is_old = trio.current_time() - latest.taken > max(LEAST_AGE, 100 * took)
    return await (parts.coverage.fresh(FRESH_SECONDS) if is_old else parts.coverage.current(FRESH_SECONDS))


class FileFigures(ToolResult, frozen=True):
    path: str
    lines_hit: int
    lines_found: int
    branches_hit: int
    branches_found: int


class PageFilesResult(ToolResult, frozen=True):
    """`problem` says why there are none, where it is not for the target."""

    files: tuple[FileFigures, ...]
    total: int
    problem: str


class SourceLine(ToolResult, frozen=True):
    """`count` null: a line without code of its own. `marks` are r revert, o out of gas, e error. `missing` names
    outcomes that were never seen. `covered` is what the entry or finding did, null where none was given."""

    line: int
    text: str
    count: int | None
    marks: str
    missing: tuple[str, ...]
    covered: bool | None


class SourceFunction(ToolResult, frozen=True):
    name: str
    line: int
    end_line: int
    count: int


class PageSourceResult(ToolResult, frozen=True):
    """`covered_lines` of the whole file the entry or finding covers, null where none was given."""

    file: str
    lines: tuple[SourceLine, ...]
    total_lines: int
    functions: tuple[SourceFunction, ...]
    covered_lines: int | None


class SourceLines:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access
        self._mapped: tuple[Project, CoverageMapper] | None = None
        # A mapper serves one thread at a time.
        self._mapping = trio.CapacityLimiter(1)

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "page_files",
                "Source files with how much of each was covered.",
                (NoInput, PageFilesResult),
                self.files,
                deadline=Deadline.ANALYSIS,
            ),
            looking(
                "page_source",
                "Lines of a file with counts, sides never taken, and what one entry or finding covers.",
                (PageSourceInput, PageSourceResult),
                self.source,
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def files(self, inputs: NoInput) -> Answer:
        report = await recent_report(self._access.current)
        listed = tuple(
            FileFigures(each.path, each.lines_hit, each.lines_found, each.branches_hit, each.branches_found)
            for each in report.files[:MAX_FILES]
        )
        return answer_of(PageFilesResult(listed, len(report.files), unknown_coverage(report)))

    async def source(self, inputs: PageSourceInput) -> Answer:
        parts = self._access.current
        report = await recent_report(parts)
        file = next((each for each in report.files if each.path == inputs.file), None)
        annotated = await parts.coverage.annotated(report, file.path) if file is not None else None
        if file is None or annotated is None:
            known = known_names(inputs.file, (each.path for each in report.files))
            message = f"there is no source file {inputs.file[:200]!r}; known are: {known}"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
        covered = await self._covered(parts, file.path, inputs.covered_by) if inputs.covered_by is not None else None
        start = inputs.start_line - 1
        return answer_of(
            PageSourceResult(
                file=file.path,
                lines=tuple(_line(each, covered) for each in annotated.lines[start : start + inputs.limit]),
                total_lines=len(annotated.lines),
                functions=tuple(
                    SourceFunction(each.name, each.line, each.end_line, each.count)
                    for each in file.functions[:MAX_FUNCTIONS]
                ),
                covered_lines=None if covered is None else len(covered),
            )
        )

    async def _covered(self, parts: CampaignComponents, path: str, name: str) -> frozenset[int]:
        """Lines of the file that the entry or the finding's reproducer executes: as a worker measured it, or else by
        executing it once more. Raises `ToolError` where neither can be had."""
        entries, tracker = parts.keeper.entries, parts.coverage.tracker
        sequence = parts.corpus.sequence(name) or finding(parts, name).sequence
        number = entries.number(sequence_hash(sequence))
        features = entries.features.features.get(number) if number is not None else None
        if features is not None:
            hits = _Measured(frozenset(feature_numbers(features).tolist()), tracker.features_at)
            is_hit: IsHit = hits.is_hit
        else:
            done = await steer(self._access, ExecuteSequence((), False, sequence, cover=True))
            is_hit = _Executed(done.covered).is_hit
        if self._mapped is None or self._mapped[0] is not parts.project:
            self._mapped = parts.project, CoverageMapper(parts.project)
        find = partial(_lines, self._mapped[1], tracker.snapshot(), is_hit, path)
        return await trio.to_thread.run_sync(find, limiter=self._mapping, abandon_on_cancel=False)


class _Measured:
    """Hits of an entry whose features are known."""

    def __init__(self, wanted: frozenset[int], features_at: Callable[[CodeMap, int], Collection[int]]) -> None:
        self._wanted = wanted
        self._features_at = features_at

    def is_hit(self, code: CodeMap, cell: int) -> bool:
        return not self._wanted.isdisjoint(self._features_at(code, cell))


class _Executed:
    """Hits of one execution."""

    def __init__(self, covered: Iterable[CoveredCells]) -> None:
        self._cells: dict[tuple[str, str], frozenset[int]] = {}
        for each in covered:
            cells = frozenset(np.frombuffer(each.cells, "<u4").tolist())
            self._cells[each.contract, each.kind] = cells | self._cells.get((each.contract, each.kind), frozenset())

    def is_hit(self, code: CodeMap, cell: int) -> bool:
        return cell in self._cells.get((code.contract, code.kind), ())


def _lines(mapper: CoverageMapper, snapshot: CoverageSnapshot, is_hit: IsHit, path: str) -> frozenset[int]:
    coverages = []
    for each in snapshot.codes():
        cells = [int(count > 0 and is_hit(each.code, cell)) for cell, count in enumerate(each.counts)]
        coverages.append(CodeCoverage(each.code, tuple(cells)))
    files = {file.path: file for file in mapper.files(coverages)}
    return frozenset(line.line for line in files[path].lines if line.count) if path in files else frozenset()


def _line(line: AnnotatedLine, covered: frozenset[int] | None) -> SourceLine:
    return SourceLine(
        line.line,
        line.text[:MAX_LINE_LENGTH],
        line.count,
        line.marks.removeprefix("*"),
        line.missing,
        None if covered is None else line.line in covered,
    )
