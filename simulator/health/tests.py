"""Tests that passed because nothing could have failed them, and assertions that never ran."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.coverage.file_coverage import LineCount
from simulator.health.evidence import CheckedTest, Evidence
from simulator.health.functions import file_and_line, reason_text, reasons_of
from simulator.health.model import HealthPoint
from simulator.health.observations import FunctionRevert
from simulator.health.sources import FunctionPlace
from simulator.modes.assertion import ASSERTION
from simulator.modes.table import MODES

_LOOKS_AT_CODE = (".code", "extcode")


def test_points(evidence: Evidence) -> Iterator[HealthPoint]:
    """Vacuous tests, each once, and assertions never reached of functions that are no vacuous tests."""
    vacuous = {}
    for test in evidence.tests:
        if test.passed and (point := _vacuous(evidence, test)) is not None:
            vacuous[test.contract, _name(test)] = point
    yield from vacuous.values()
    if MODES[evidence.settings.test_mode].watches_events:
        told = {(point.file, point.line) for point in vacuous.values()} | set(_told_functions(evidence))
        yield from _unreached(evidence, told)


test_points.__test__ = False  # type: ignore[attr-defined]  # no test of ours


def asserts_nothing(evidence: Evidence) -> bool:
    """Return whether functions are watched for assertions of which there are none."""
    is_watched = evidence.settings.test_mode == ASSERTION.name and any(test.passed for test in evidence.tests)
    return is_watched and bool(evidence.files) and not evidence.sources.asserts_anything()


def _vacuous(evidence: Evidence, test: CheckedTest) -> HealthPoint | None:
    place = evidence.sources.function(test.contract, _name(test))
    found = _without_verdict(evidence, test) or _unchanged(evidence, test, place)
    if found is None and place is not None:
        found = _left_early(evidence, test, place) or _assertions_never_ran(evidence, test, place)
    if found is None:
        return None
    text, step = found
    return HealthPoint(
        "vacuous-test", f"{test.name} {text}", step, test=test.name,
        file=place.path if place else "", line=place.line if place else 0,
    )  # fmt: skip


def _without_verdict(evidence: Evidence, test: CheckedTest) -> tuple[str, str] | None:
    """It was called, and no call had a verdict."""
    activity = evidence.activity(test)
    if activity is not None and activity.void and not activity.judged:
        what = "gave no value: every call of it reverted" if test.kind == "optimization" else "was rejected every time"
        return f"{what} ({activity.void:,} calls)", "let it return on states that the campaign reaches"
    function = next((f for f in evidence.functions if (f.contract, f.signature) == (test.contract, test.name)), None)
    if test.kind == "assertion" and function is not None and function.never_succeeded:
        is_foundry = MODES[evidence.settings.test_mode].forge_cheatcodes
        if is_foundry:
            return (
                f"rejected every input ({function.calls:,} calls)",
                "weaken its vm.assume, or bound the inputs with bound()",
            )
    return None


def _unchanged(evidence: Evidence, test: CheckedTest, place: FunctionPlace | None) -> tuple[str, str] | None:
    """No executed sequence could have changed its outcome."""
    activity = evidence.activity(test)
    if activity is None or not evidence.knows_writes or test.kind not in ("property", "optimization"):
        return None
    if not activity.judged and not activity.reads:
        return None
    if not activity.reads and not activity.volatile and not _may_look_at_code(evidence, place):
        return "reads no state: its outcome is the same whatever happens", "let it read the state that it is about"
    if activity.changes:
        return None
    reverting = any(function.never_succeeded for function in evidence.functions)
    return (
        "could not change: no executed sequence wrote anything that it reads",
        ("mend the functions that always revert, or " if reverting else "let it read the contract that is called, or ")
        + "add handlers that change what it reads",
    )


def _may_look_at_code(evidence: Evidence, place: FunctionPlace | None) -> bool:
    """Return whether code counts that appears, which is not among the words read."""
    return place is None or evidence.sources.mentions(place, _LOOKS_AT_CODE)


def _left_early(evidence: Evidence, test: CheckedTest, place: FunctionPlace) -> tuple[str, str] | None:
    """None of its comparisons ran but those under which it leaves content."""
    if test.kind != "property" or not place.reached:
        return None
    verdicts = evidence.sources.verdicts(place)
    if not verdicts or any(line.count for line in verdicts):
        return None
    line = f"{place.path}:{verdicts[-1].line}"
    return f"always left before its last comparison, at {line}", "reach a state in which it continues to that line"


def _assertions_never_ran(evidence: Evidence, test: CheckedTest, place: FunctionPlace) -> tuple[str, str] | None:
    lines = _assertions(evidence, place)
    if not lines or any(line.count for line in lines):
        return None
    reasons = _reasons(evidence, test)
    if reasons and not all(_is_within(place, each) for each in reasons):
        # The code under test refuses calls, which may be what the test waits for: it fails once one goes through.
        return None
    text = f"passed without its assertions: the first, at {place.path}:{lines[0].line}, never ran"
    if reasons:
        why = reason_text(reasons[0])
        line = evidence.sources.line_text(*file_and_line(reasons[0].place))
        return f"{text}, as every call ends with {why}", f"let calls get past `{line[:120]}`"
    return text, "let calls of it get there: see why they leave or revert before"


def _reasons(evidence: Evidence, test: CheckedTest) -> list[FunctionRevert]:
    """Why all calls of the function of a test reverted; nothing where one succeeded."""
    for index, function in enumerate(evidence.functions):
        if (function.contract, function.signature) == (test.contract, test.name) and function.never_succeeded:
            return reasons_of(evidence.observations, index)
    return []


def _is_within(place: FunctionPlace, reason: FunctionRevert) -> bool:
    file, line = file_and_line(reason.place)
    return file == place.path and place.function.line <= line <= place.function.end_line


def _told_functions(evidence: Evidence) -> Iterator[tuple[str, int]]:
    """File and line of functions that never succeeded, or whose own test failed."""
    failed = {(test.contract, test.name) for test in evidence.tests if not test.passed}
    for function in evidence.functions:
        place = evidence.sources.function(function.contract, function.name)
        if place is not None and (function.never_succeeded or (function.contract, function.signature) in failed):
            yield place.path, place.line


def _unreached(evidence: Evidence, told: set[tuple[str, int]]) -> Iterator[HealthPoint]:
    """Assertions that never ran, beside others of the same function that did, or in code under test. Functions that
    are `told` of already, by file and line, are left out."""
    for place in evidence.sources.functions():
        if (place.path, place.line) in told or not place.reached:
            continue
        for line in _assertions(evidence, place):
            if not line.count:
                text = evidence.sources.line_text(place.path, line.line)
                yield HealthPoint(
                    "unreached-assertion", f"the assertion `{text[:120]}` in {place.function.name} never ran",
                    "reach it: add a handler for the state that it waits for, or inject a sequence",
                    function=place.function.name, file=place.path, line=line.line,
                )  # fmt: skip


def _assertions(evidence: Evidence, place: FunctionPlace) -> list[LineCount]:
    return list(evidence.sources.assertions(place, short=evidence.has_short_assertions))


def _name(test: CheckedTest) -> str:
    return test.name.partition("(")[0]
