"""From code to a test file: try many calls, keep few that cover most, expect what was seen twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import trio

from tools.analysis.javascript.syntax import syntax_errors
from tools.analysis.test_generator.calls import GeneratedCall, calls_of
from tools.analysis.test_generator.coverage import MarkedCode, marked, percent, reached
from tools.analysis.test_generator.jest import jest_file
from tools.analysis.test_generator.sandbox import (
    TOO_DEEP,
    UNDECLARED,
    ObservedOutcome,
    Sandbox,
    SubjectExecution,
    observe,
)
from tools.analysis.test_generator.subject import Subject, subject_of
from tools.errors import ErrorCode, ToolError

MAX_CASES = 8
WANTED_CASES = 4
MAX_REASONS = 5
SHARE_OF_DEADLINE = 0.7
MAX_SECONDS = 60.0
ZONES = ("UTC", "Pacific/Kiritimati")
"""One for each of two executions: what depends on the machine's time zone then differs."""
UNREPEATABLE = "no call of the code's functions ended with a repeatable result"
NOTHING = "the code declares no function at its top level and exports none: there is nothing to test"


@dataclass(frozen=True, slots=True)
class GeneratedTests:
    """A Jest file, and the percent of lines and branch arms that its tests covered when they were made."""

    code: str
    lines: int
    branches: int


async def generate_tests(code: str, sandbox: Sandbox) -> GeneratedTests:
    """Make tests for the functions of `code`. Raises `ToolError` for code that is invalid or cannot be executed."""
    subject, marks, calls = await trio.to_thread.run_sync(prepared, code, abandon_on_cancel=True)
    tried = await _tried(sandbox, subject, marks, calls)
    by_name = {f.name: [one for one in tried if one.call.name == f.name] for f in subject.functions}
    chosen = {name: _chosen([one for one in mine if one.is_repeatable]) for name, mine in by_name.items()}
    untested = {name: _reason(by_name[name]) for name, kept in chosen.items() if not kept}
    if len(untested) == len(chosen):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in list(untested.items())[:MAX_REASONS])
        raise ToolError(ErrorCode.INVALID_INPUT, f"{UNREPEATABLE}: {reasons}")
    cases = {name: [(one.call, one.outcome) for one in kept] for name, kept in chosen.items()}
    covered = reduce(or_, (one.places for kept in chosen.values() for one in kept), 0)
    lines, branches = (_percent_of(marks.of_kind(kind), covered) for kind in ("line", "arm"))
    return GeneratedTests(jest_file(subject, cases, untested), lines, branches)


def _percent_of(everything: int, covered: int) -> int:
    return percent((covered & everything).bit_count(), everything.bit_count())


def prepared(code: str) -> tuple[Subject, MarkedCode, Sequence[GeneratedCall]]:
    """Job to execute. Raises `ToolError`."""
    errors = syntax_errors(code)
    if errors:
        first = errors[0]
        raise ToolError(ErrorCode.INVALID_INPUT, f"line {first.line}, column {first.column}: {first.message}")
    subject = subject_of(code)
    if not subject.functions:
        raise ToolError(ErrorCode.INVALID_INPUT, NOTHING)
    return subject, marked(subject), calls_of(subject.functions)


async def _tried(sandbox: Sandbox, subject: Subject, marks: MarkedCode, calls: Sequence[GeneratedCall]) -> list[_Tried]:
    """The calls with what they did, twice, and what they reached."""
    seconds = _seconds()
    plain = SubjectExecution(f"() => {subject.expression}", 0, ZONES[0], seconds)
    counted = SubjectExecution(marks.function, len(marks.places), ZONES[1], seconds)
    first, second = await _both(sandbox, plain, counted, calls)
    return [
        _Tried(call, outcome, again, reached(again.hits))
        for call, outcome, again in zip(calls, first, second, strict=True)
    ]


def _seconds() -> float:
    """Most of what the caller's deadline leaves; the rest is for the answer."""
    return min(SHARE_OF_DEADLINE * (trio.current_effective_deadline() - trio.current_time()), MAX_SECONDS)


async def _both(
    sandbox: Sandbox, plain: SubjectExecution, counted: SubjectExecution, calls: Sequence[GeneratedCall]
) -> tuple[Sequence[ObservedOutcome], Sequence[ObservedOutcome]]:
    """The outcomes of the calls without and with marks, in two processes side by side."""
    found: dict[SubjectExecution, Sequence[ObservedOutcome]] = {}
    failures: list[ToolError] = []

    async def execute(nursery: trio.Nursery, execution: SubjectExecution) -> None:
        try:
            found[execution] = await observe(sandbox, execution, calls)
        except ToolError as error:
            failures.append(error)
            nursery.cancel_scope.cancel(reason="the other execution has failed")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(execute, nursery, plain)
        nursery.start_soon(execute, nursery, counted)
    if failures:
        raise failures[0]
    return found[plain], found[counted]


@dataclass(frozen=True, slots=True)
class _Tried:
    call: GeneratedCall
    outcome: ObservedOutcome
    again: ObservedOutcome
    places: int

    @property
    def is_repeatable(self) -> bool:
        return self.outcome.is_repeatable and self.outcome.agrees_with(self.again)


def _reason(tried: Sequence[_Tried]) -> str:
    """Why none of these calls can be expected to do the same again."""
    uses = dict.fromkeys(word for one in tried for word in one.outcome.uses.split(", ") if word)
    if uses:
        return f"it depends on {', '.join(uses)}"
    if any(one.outcome.kind == "late" for one in tried):
        return "it takes too long"
    if any(one.outcome.kind == "large" for one in tried):
        return "it takes too much memory"
    if any(one.outcome.message == TOO_DEEP for one in tried):
        return "it recurses too deeply"
    if any(one.outcome.message.endswith(UNDECLARED) for one in tried):
        return "it uses a name that nothing declares"
    if any(one.outcome.name == "EvalError" for one in tried):
        return "it makes code from strings"
    return "its results differ each time"


def _chosen(tried: Sequence[_Tried]) -> list[_Tried]:
    """The usual call first, then greedily what covers most that is left, then results of other kinds."""
    chosen: list[_Tried] = []
    left = list(tried)
    covered = 0
    while left and len(chosen) < MAX_CASES:
        best = max(left, key=lambda one: (one.places & ~covered).bit_count()) if chosen else left[0]
        if chosen and not best.places & ~covered:
            break
        chosen.append(best)
        left.remove(best)
        covered |= best.places
    for one in left:
        if len(chosen) >= WANTED_CASES:
            break
        if all(_looks(one) != _looks(other) for other in chosen):
            chosen.append(one)
    return sorted(chosen, key=tried.index)


def _looks(tried: _Tried) -> tuple[str, ...]:
    outcome = tried.outcome
    return (outcome.kind, outcome.type, outcome.name, outcome.source or "")
