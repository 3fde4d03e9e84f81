"""From code to a test file: try many calls, keep few that cover most, expect what was seen twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.analysis.javascript.syntax import syntax_errors
from tools.analysis.test_generator.arguments import calls_for
from tools.analysis.test_generator.coverage import Place, coverable, covered, percent
from tools.analysis.test_generator.jest import Case, jest_file
from tools.analysis.test_generator.sandbox import Call, Outcome, RunProgram, observe
from tools.analysis.test_generator.subject import Subject, subject_of
from tools.errors import ErrorCode, ToolError

MOST_CASES = 8
WANTED_CASES = 4
MOST_TRIED = 400


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
    calls = _calls(subject)
    plain = await observe(run, subject.expression, calls, coverage=False)
    counted = await observe(run, subject.expression, calls, coverage=True)
    everything = coverable(subject)
    usable = [
        _Tried(call, first, covered(second, everything, subject))
        for call, first, second in zip(calls, plain, counted, strict=True)
        if first.kind in ("value", "throw") and first.agrees_with(second)
    ]
    cases: dict[str, list[Case]] = {}
    reached: set[Place] = set()
    for function in subject.functions:
        chosen = _chosen([tried for tried in usable if tried.call.name == function.name])
        cases[function.name] = [(tried.call, tried.outcome) for tried in chosen]
        reached.update(*(tried.places for tried in chosen))
    if not any(cases.values()):
        raise ToolError(ErrorCode.INVALID_INPUT, "no call of the code's functions ended with a repeatable result")
    lines = percent(sum(place[0] == "line" for place in reached), len(everything.lines))
    branches = percent(sum(place[0] != "line" for place in reached), len(everything.arms))
    return GeneratedTests(jest_file(subject, cases), lines, branches)


@dataclass(frozen=True, slots=True)
class _Tried:
    call: Call
    outcome: Outcome
    places: frozenset[Place]


def _calls(subject: Subject) -> list[Call]:
    if not subject.functions:
        raise ToolError(
            ErrorCode.INVALID_INPUT, "the code declares no function at its top level: there is nothing to test"
        )
    each = max(8, MOST_TRIED // len(subject.functions))
    return [
        Call(function.name, arguments) for function in subject.functions for arguments in calls_for(function)[:each]
    ][:MOST_TRIED]


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
