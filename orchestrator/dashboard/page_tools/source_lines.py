"""`page_files` and `page_source`: sources with counts, and which lines one entry or finding covers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import trio
from pydantic import Field

from actors.coverage.report import CoverageReport
from actors.coverage.tracker import CoverageSnapshot
from simulator.corpus.feature_index import feature_numbers
from simulator.corpus.identity import sequence_hash
from simulator.coverage.annotation import AnnotatedLine
from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.code_map import CodeMap
from simulator.coverage.line_coverage import CoverageMapper
from simulator.known_names import known_names
from simulator.project import Project
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.coverage_tools import current_report
from tools.campaign.fields import Integer
from tools.campaign.inputs import NoInput
from tools.campaign.naming import finding
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Deadline, Tool, ToolInput

MAX_LINES = 2_000
MAX_LINE_LENGTH = 400
MAX_FILES = 2_000
MAX_FUNCTIONS = 2_000


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
        report = await current_report(self._access.current)
        listed = tuple(
            FileFigures(each.path, each.lines_hit, each.lines_found, each.branches_hit, each.branches_found)
            for each in report.files[:MAX_FILES]
        )
        return answer_of(PageFilesResult(listed, len(report.files), unknown_coverage(report)))

    async def source(self, inputs: PageSourceInput) -> Answer:
        parts = self._access.current
        report = await current_report(parts)
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
        """Lines of the file that the entry or the finding's reproducer executes. Raises `ToolError` where no worker has
        measured it."""
        entries = parts.keeper.entries
        number = entries.number(name)
        if number is None:
            number = entries.number(sequence_hash(finding(parts, name).sequence))
        features = entries.features.features.get(number) if number is not None else None
        if features is None:
            message = f"no worker has measured yet what {name[:200]!r} covers"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_MEASURED")
        tracker = parts.coverage.tracker
        if self._mapped is None or self._mapped[0] is not parts.project:
            self._mapped = parts.project, CoverageMapper(parts.project)
        mapper, wanted = self._mapped[1], frozenset(feature_numbers(features).tolist())
        find = partial(_lines, mapper, tracker.snapshot(), tracker.features_at, wanted, path)
        return await trio.to_thread.run_sync(find, limiter=self._mapping, abandon_on_cancel=False)


def _lines(
    mapper: CoverageMapper,
    snapshot: CoverageSnapshot,
    features_at: Callable[[CodeMap, int], Collection[int]],
    wanted: frozenset[int],
    path: str,
) -> frozenset[int]:
    coverages = []
    for each in snapshot.codes():
        cells = [
            int(count > 0 and not wanted.isdisjoint(features_at(each.code, cell)))
            for cell, count in enumerate(each.counts)
        ]
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
