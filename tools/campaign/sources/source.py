"""`read_source`: a function or some lines as text, with what was executed of them beside each line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import trio
from pydantic import Field, model_validator

from actors.coverage.report import CoverageReport
from actors.coverage.tracker import CoverageTracker
from actors.priorities.manager import FunctionStatistics
from simulator.coverage.annotation import AnnotatedLine, annotate_lines
from simulator.coverage.file_coverage import FileCoverage, FunctionCount
from simulator.health.functions import reason_text, reasons_of
from simulator.health.observations import Observations
from simulator.known_names import known_names
from simulator.printable import one_line, shortened
from tools.campaign.access import CampaignAccess
from tools.campaign.coverage_tools import current_report
from tools.campaign.fields import Integer
from tools.campaign.publishing import looking
from tools.campaign.sources.called import CalledFunctions
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Tool, ToolInput

MAX_LINES = 400
MAX_LINE_LENGTH = 300
MAX_NAME_LENGTH = 1_000
MAX_FUNCTIONS = 20
MAX_REASONS = 5
MAX_REASON_LENGTH = 200


class ReadSourceInput(ToolInput):
    function: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_NAME_LENGTH,
        description="As Token.transfer, or transfer in every contract.",
    )
    file: str | None = Field(
        default=None, min_length=1, max_length=MAX_NAME_LENGTH, description="Path, or its end where that is unique."
    )
    start_line: Integer = Field(default=1, ge=1, le=10_000_000, alias="startLine")
    limit: Integer = Field(default=120, ge=1, le=MAX_LINES, description="Most lines to return.")

    @model_validator(mode="after")
    def _one_place(self) -> ReadSourceInput:
        if (self.function is None) == (self.file is None):
            raise ValueError("give either function or file")
        return self


class SourceTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "read_source",
                "Source of a function or lines of a file, and beside each line how often it ran, how frames ended on it"
                " (r revert, o out of gas, e error), which side of a condition was never taken.",
                (ReadSourceInput, None),
                self.read,
            ),
        )

    async def read(self, inputs: ReadSourceInput) -> Answer:
        parts = self._access.current
        report = await current_report(parts)
        if inputs.function is not None:
            called = CalledFunctions(parts.campaign.priorities.statistics().functions, parts.project)
            outcomes = _Outcomes(called, parts.coverage.tracker)
            text = await trio.to_thread.run_sync(_functions, outcomes, report, inputs, abandon_on_cancel=True)
        else:
            text = await trio.to_thread.run_sync(_file, report, inputs, abandon_on_cancel=True)
        return Answer(text)


def _functions(outcomes: _Outcomes, report: CoverageReport, inputs: ReadSourceInput) -> str:
    wanted = (inputs.function or "").partition("(")[0]
    found = [(file, each) for file in report.files for each in file.functions if _is_named(each.name, wanted)]
    exact = [(file, each) for file, each in found if each.name == inputs.function]
    found = exact or found
    found = found or [
        (file, each)
        for file in report.files
        for each in file.functions
        if outcomes.called.is_inherited(wanted, each.name)
    ]
    if not found:
        _check_getter(wanted, outcomes.called)
        known = known_names(wanted, (each.name for file in report.files for each in file.functions))
        message = f"there is no function {wanted[:200]!r}; known are: {known}"
        raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
    left, texts = inputs.limit, []
    for file, each in found[:MAX_FUNCTIONS]:
        if left <= 0:
            break
        start = max(each.line, inputs.start_line)
        head = f"{file.path}:{each.line} {each.name}: entered {each.count} times{outcomes.text(each)}"
        texts.append(_listing(head, file, start, min(each.end_line, start + left - 1), each.end_line))
        left -= each.end_line - start + 1
    more = len(found) - len(texts)
    return "\n".join(texts) + (f"\n({more} more functions of that name)" if more > 0 else "")


def _check_getter(wanted: str, called: CalledFunctions) -> None:
    """Raises `ToolError` for a function that is called and stands nowhere."""
    for each in called.named(wanted):
        message = (
            f"{each.contract}.{each.signature} has no source of its own, as the getter of a public variable;"
            " read the file of its contract"
        )
        raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NO_SOURCE")


def _is_named(name: str, wanted: str) -> bool:
    bare = name.partition("(")[0]
    return wanted in (bare, bare.rpartition(".")[2])


class _Outcomes:
    """What became of the fuzzer's calls so far, readable by any thread. `tracker` knows the functions by the numbers
    that workers give them."""

    def __init__(self, called: CalledFunctions, tracker: CoverageTracker) -> None:
        self.called = called
        self._numbers = {(each.contract, each.signature): number for number, each in enumerate(tracker.functions())}
        self._observations = Observations(reverts=tracker.reverts())

    def text(self, function: FunctionCount) -> str:
        """Describe the calls of a function with the reasons of those that reverted; empty where there were none."""
        called = self.called.of_source(function.name)
        if not called:
            return ""
        reverts = sum(each.reverts for each in called)
        counts = f"; called {sum(each.calls for each in called)} times, {reverts} reverted"
        reasons = dict.fromkeys(reason for each in called for reason in self._reasons(each))
        return counts + (f": {', '.join(list(reasons)[:MAX_REASONS])}" if reasons else "")

    def _reasons(self, function: FunctionStatistics) -> Iterator[str]:
        number = self._numbers.get((function.contract, function.signature))
        if number is not None and function.reverts:
            for each in reasons_of(self._observations, number):
                yield one_line(shortened(reason_text(each), MAX_REASON_LENGTH))


def _file(report: CoverageReport, inputs: ReadSourceInput) -> str:
    path = inputs.file or ""
    found = [file for file in report.files if file.path == path]
    found = found or [file for file in report.files if file.path.endswith("/" + path)]
    if len(found) != 1:
        known = known_names(path, (file.path for file in report.files))
        message = f"there is no one source file {path[:200]!r}; known are: {known}"
        raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
    (file,) = found
    head = f"{file.path}: {file.lines_hit}/{file.lines_found} lines, {file.branches_hit}/{file.branches_found} sides"
    last = file.content.count("\n") + 1
    return _listing(head, file, inputs.start_line, min(last, inputs.start_line + inputs.limit - 1), last)


def _listing(head: str, file: FileCoverage, start: int, end: int, last: int) -> str:
    """Lines `start` to `end`; `last` would be the end of it all."""
    lines = annotate_lines(file, start, end)
    more = f"\n({last - end} more lines; startLine {end + 1} continues)" if end < last else ""
    return "\n".join([head, *map(_line, lines)]) + more


def _line(line: AnnotatedLine) -> str:
    count = "" if line.count is None else str(line.count)
    missing = f"  // {', '.join(line.missing)}" if line.missing else ""
    never = "  // never executed" if line.count == 0 else ""
    marks = line.marks.removeprefix("*")
    return f"{line.line:>5} |{count:>9} |{marks:<2}| {line.text[:MAX_LINE_LENGTH]}{missing}{never}"
