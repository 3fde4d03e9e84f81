"""Echidna's property mode."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.abi.contract import Function
from simulator.abi.types import Bool, Int
from simulator.errors import TargetError
from simulator.modes.checks import Check, TestDescription
from simulator.modes.forge_std import is_called_like_echidna, sets_up_like_echidna
from simulator.modes.mode import Harness, Mode, nothing_found
from simulator.modes.world import ECHIDNA_WORLD

REVERT_INFIX = "revert_"
_OTHER_WAYS = (
    "; write one that returns bool, look for failing asserts with --test-mode assertion, or fuzz Foundry tests and "
    "invariants with --test-mode foundry"
)


def _tests(harness: Harness) -> Iterator[TestDescription]:
    functions = harness.prefixed()
    if not functions:
        raise nothing_found(harness, "property", f"functions named {harness.prefix}*", _OTHER_WAYS)
    for function in functions:
        yield _test(harness, function)


def _test(harness: Harness, function: Function) -> TestDescription:
    refuse_arguments(harness, function)
    reverts = function.name.startswith(harness.prefix + REVERT_INFIX)
    if list(function.outputs.members) != [Bool()] and not reverts:
        raise TargetError(f"{harness.contract}.{function.signature}: a property must return exactly one bool")
    check = Check.PROPERTY_REVERTS if reverts else Check.PROPERTY_TRUE
    return TestDescription(function.name, "property", check, function)


def refuse_arguments(harness: Harness, function: Function) -> None:
    """Raise `TargetError` for a property that takes arguments."""
    if function.inputs.members:
        raise TargetError(f"{harness.contract}.{function.signature}: a property takes no arguments")


def _recognises(harness: Harness) -> str | None:
    functions = harness.prefixed()
    if functions and not all(list(each.outputs.members) == [Int(256)] for each in functions):
        return f"it has functions named {harness.prefix}*"
    return None


PROPERTY = Mode(
    name="property",
    meaning="Functions named `echidna_*` must return true after every call.",
    world=ECHIDNA_WORLD,
    tests=_tests,
    recognises=_recognises,
    is_called=is_called_like_echidna,
    sets_up=sets_up_like_echidna,
)
