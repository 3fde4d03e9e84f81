"""From code to a test file: try many calls, keep few that cover most, expect what was seen twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import trio

from tools.analysis.javascript.syntax import syntax_errors
from tools.analysis.test_generator.calls import Call, calls_of
from tools.analysis.test_generator.coverage import Place, coverable, covered, percent
from tools.analysis.test_generator.jest import jest_file
from tools.analysis.test_generator.sandbox import TOO_DEEP, UNDECLARED, Outcome, RunProgram, observe
from tools.analysis.test_generator.subject import Subject, subject_of
from tools.errors import ErrorCode, ToolError

MOST_CASES = 8
WANTED_CASES = 4
MOST_REASONS = 5
UNREPEATABLE = "no call of the code's functions ended with a repeatable result"
NOTHING = "the code declares no function at its top level and exports none: there is nothing to test"


@dataclass(frozen=True, slots=True)
class GeneratedTests:
    """A Jest file, and the percent of lines and branch arms that its tests covered when they were made."""

    code: str
    lines: int
    branches: int


async def generate_tests(code: str, run: RunProgram) -> GeneratedTests:
    """Make tests for the functions of `code`. Raises `ToolError` for code that is invalid or cannot be executed."""
    errors = syntax_errors(code)
    if errors:
        first = errors[0]
        raise ToolError(ErrorCode.INVALID_INPUT, f"line {first.line}, column {first.column}: {first.message}")
    subject = subject_of(code)
    if not subject.functions:
        raise ToolError(ErrorCode.INVALID_INPUT, NOTHING)
    tried = await _tried(run, subject)
    by_name = {f.name: [one for one in tried if one.call.name == f.name] for f in subject.functions}
    chosen = {name: _chosen([one for one in mine if one.is_repeatable]) for name, mine in by_name.items()}
    untested = {name: _reason(by_name[name]) for name, kept in chosen.items() if not kept}
    if len(untested) == len(chosen):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in list(untested.items())[:MOST_REASONS])
        raise ToolError(ErrorCode.INVALID_INPUT, f"{UNREPEATABLE}: {reasons}")
    cases = {name: [(one.call, one.outcome) for one in kept] for name, kept in chosen.items()}
    reached = frozenset[Place]().union(*(one.places for kept in chosen.values() for one in kept))
    everything = coverable(subject)
    lines = percent(sum(place[0] == "line" for place in reached), len(everything.lines))
    branches = percent(sum(place[0] != "line" for place in reached), len(everything.arms))
    return GeneratedTests(jest_file(subject, cases, untested), lines, branches)


async def _tried(run: RunProgram, subject: Subject) -> list[_Tried]:
    """Calls of the subject's functions with what they did, twice, and what they reached."""
    calls = calls_of(subject.functions)
    plain, counted = await _observed_twice(run, subject.expression, calls)
    everything = coverable(subject)
    return [
        _Tried(call, first, second, covered(second, everything, subject))
        for call, first, second in zip(calls, plain, counted, strict=True)
    ]


async def _observed_twice(
    run: RunProgram, expression: str, calls: Sequence[Call]
) -> tuple[Sequence[Outcome], Sequence[Outcome]]:
    """The outcomes of the calls without and with coverage, in two processes side by side."""
    found: dict[bool, Sequence[Outcome]] = {}
    failures: list[ToolError] = []

    async def execute(nursery: trio.Nursery, *, coverage: bool) -> None:
        try:
            found[coverage] = await observe(run, expression, calls, coverage=coverage)
        except ToolError as error:
            failures.append(error)
            nursery.cancel_scope.cancel(reason="the other execution has failed")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(execute, nursery, coverage=False))
        nursery.start_soon(partial(execute, nursery, coverage=True))
    if failures:
        raise failures[0]
    return found[False], found[True]


@dataclass(frozen=True, slots=True)
class _Tried:
    call: Call
    outcome: Outcome
    again: Outcome
    places: frozenset[Place]

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
    reached: set[Place] = set()
    while left and len(chosen) < MOST_CASES:
        best = max(left, key=lambda one: len(one.places - reached)) if chosen else left[0]
        if chosen and not best.places - reached:
            break
        chosen.append(best)
        left.remove(best)
        reached |= best.places
    for one in left:
        if len(chosen) >= WANTED_CASES:
            break
        if all(_looks(one) != _looks(other) for other in chosen):
            chosen.append(one)
    return sorted(chosen, key=tried.index)


def _looks(tried: _Tried) -> tuple[str, ...]:
    outcome = tried.outcome
    return (outcome.kind, outcome.type, outcome.name, outcome.source or "")
