"""Functions that never succeeded or were never called, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from simulator.abi.contract import ContractAbi, Function
from simulator.errors import AbiError
from simulator.health.evidence import CalledFunction, Evidence
from simulator.health.model import HealthPoint
from simulator.health.next_steps import step_for_revert
from simulator.health.observations import FunctionRevert, Observations
from simulator.modes.mode import Harness
from simulator.modes.table import MODES

FEW_CALLS = 10
"""Calls below which nothing is said of a function: there were too few."""
CALLS_EACH = 50
"""Calls of a campaign for each function, past which one that was never called is told of."""
SHOWN_REASONS = 2
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+):\d+")


def function_points(evidence: Evidence, told: frozenset[tuple[str, str]] = frozenset()) -> Iterator[HealthPoint]:
    """All points on functions, those that never succeeded first. Views, functions whose own test failed, and
    what is `told` of already, by contract and signature, are left out."""
    views = _view_names(evidence) | told | _failed_tests(evidence)
    for index, function in enumerate(evidence.functions):
        if (function.contract, function.signature) in views:
            continue
        if function.never_succeeded and function.calls >= FEW_CALLS:
            yield _always_reverts(evidence, index, function)
    for function in evidence.functions:
        is_told = (function.contract, function.signature) in views or _runs_once(evidence, function)
        if not function.calls and not is_told:
            yield from _never_called(evidence, function)
    yield from _filtered(evidence)


def _failed_tests(evidence: Evidence) -> frozenset[tuple[str, str]]:
    """Functions whose own test has failed, which says all that there is to say."""
    return frozenset((test.contract, test.name) for test in evidence.tests if not test.passed)


def _runs_once(evidence: Evidence, function: CalledFunction) -> bool:
    """Return whether a function is a test that is executed before any sequence is built, as forge's unit tests."""
    is_test = any((test.contract, test.name) == (function.contract, function.signature) for test in evidence.tests)
    return is_test and MODES[evidence.settings.test_mode].forge_cheatcodes


def nothing_succeeded(evidence: Evidence) -> bool:
    """Return whether calls were made and all of them reverted."""
    called = [function for function in evidence.functions if function.calls]
    return bool(called) and all(function.never_succeeded for function in called)


def _always_reverts(evidence: Evidence, index: int, function: CalledFunction) -> HealthPoint:
    reasons = reasons_of(evidence.observations, index)
    name = f"{function.contract}.{function.signature}"
    calls = f"{function.calls:,} of {function.calls:,} calls"
    if not reasons:
        text = f"{name} always reverts ({calls}); why was not seen"
        return HealthPoint(
            "never-succeeded",
            text,
            "send it with execute_sequence or inject_transaction, and read the trace",
            function=name,
        )
    shown = "; ".join(map(reason_text, reasons[:SHOWN_REASONS]))
    others = len(reasons) - SHOWN_REASONS
    more = f"; and {others} more reason{'s' if others > 1 else ''}" if others > 0 else ""
    has_value = any(evidence.settings.max_value)
    file, line = file_and_line(reasons[0].place)
    return HealthPoint(
        "never-succeeded",
        f"{name} always reverts ({calls}): {shown}{more}",
        step_for_revert(
            reasons[0].reason, evidence.sources.line_text(file, line), payable=function.payable, has_value=has_value
        ),
        function=name,
        file=file,
        line=line,
    )


def reasons_of(observations: Observations, index: int) -> list[FunctionRevert]:
    """The reasons of the function with this index, the most frequent ones first; ones that differ by the place alone
    stay apart. What compilers check by themselves, such as ether that is not taken, has no line, and is told of only
    where nothing else is known."""
    own = [each for each in observations.reverts if each.function == index]
    return sorted([each for each in own if file_and_line(each.place)[1]] or own, key=_order)


def _order(each: FunctionRevert) -> tuple[int, str, str]:
    """The most frequent ones first."""
    return -each.times, each.place, each.reason


def reason_text(each: FunctionRevert) -> str:
    """``reason` at file:line`."""
    file, line = file_and_line(each.place)
    return f"`{each.reason}`" + (f" at {file}:{line}" if line else "")


def file_and_line(place: str) -> tuple[str, int]:
    """Of a place with a line; else an empty name and 0."""
    found = _PLACE.fullmatch(place)
    return (found["file"], int(found["line"])) if found else ("", 0)


def _never_called(evidence: Evidence, function: CalledFunction) -> Iterator[HealthPoint]:
    name = f"{function.contract}.{function.signature}"
    if function.excluded:
        yield HealthPoint(
            "left-out-function", f"{name} was not called: it was excluded while the campaign ran",
            "take it in again with prioritize_function", function=name,
        )  # fmt: skip
    elif evidence.calls >= CALLS_EACH * len(evidence.functions):
        yield HealthPoint(
            "never-called", f"{name} was never called, in {evidence.calls:,} calls",
            "raise its weight, or let the campaign run longer", function=name,
        )  # fmt: skip


def _filtered(evidence: Evidence) -> Iterator[HealthPoint]:
    """Functions of the contracts that are called, that the settings leave out."""
    settings = evidence.settings
    called = {(function.contract, function.signature) for function in evidence.functions}
    contracts = {function.contract for function in evidence.functions}
    for contract, abi in _abis(evidence):
        harness = Harness(contract, abi, settings.prefix, medusa=settings.medusa)
        for function in abi.functions:
            if contract in contracts and not function.is_view and (contract, function.signature) not in called:
                yield from _why_left_out(evidence, harness, function)


def _why_left_out(evidence: Evidence, harness: Harness, function: Function) -> Iterator[HealthPoint]:
    settings, name = evidence.settings, f"{harness.contract}.{function.signature}"
    if name in settings.filter_functions and settings.filter_is_blacklist:
        why, step = "filterFunctions leaves it out", "take it off filterFunctions to have it called"
    elif not settings.filter_is_blacklist and name not in settings.filter_functions:
        why, step = "filterFunctions does not name it", f"add {name} to filterFunctions to have it called"
    elif MODES[settings.test_mode].forge_cheatcodes and not _is_test(evidence, function):
        if harness.contract == settings.contract.rpartition(":")[2]:
            return
        why, step = "the selectors that setUp() chose leave it out", "name it with targetSelector in setUp()"
    else:
        return
    if not MODES[settings.test_mode].forge_cheatcodes and not MODES[settings.test_mode].is_called(harness, function):
        return
    yield HealthPoint("left-out-function", f"{name} was not called: {why}", step, function=name)


def _is_test(evidence: Evidence, function: Function) -> bool:
    return any(test.name in (function.signature, function.name) for test in evidence.tests)


def _view_names(evidence: Evidence) -> frozenset[tuple[str, str]]:
    return frozenset(
        (contract, function.signature)
        for contract, abi in _abis(evidence)
        for function in abi.functions
        if function.is_view
    )


def _abis(evidence: Evidence) -> Iterator[tuple[str, ContractAbi]]:
    """Of the contracts that are called, once each name."""
    wanted = {function.contract for function in evidence.functions}
    for contract in evidence.project.contracts:
        if contract.name in wanted and contract.full_name in evidence.deployed:
            wanted.discard(contract.name)
            with suppress(AbiError):
                yield contract.name, ContractAbi.from_json(contract.abi)
