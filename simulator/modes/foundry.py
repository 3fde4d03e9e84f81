"""Forge's tests: unit and fuzz tests, tables, invariants. What fails, and why, is that of forge 1.7.1."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.abi.contract import Function
from simulator.abi.types import Int
from simulator.modes.checks import Check, TestDescription
from simulator.modes.forge_std import IS_TEST, SET_UP
from simulator.modes.mode import Harness, Mode, nothing_found
from simulator.modes.world import FOUNDRY_WORLD

TEST, TEST_FAIL, TABLE, FIXTURE = "test", "testFail", "table", "fixture"
INVARIANTS = ("invariant", "statefulFuzz")
AFTER_INVARIANT, BEFORE_TEST_SETUP = "afterInvariant()", "beforeTestSetup(bytes4)"
NO_CONTRACTS = "failed to set up invariant testing environment: No contracts to fuzz."
_INVARIANT_WITH_INPUTS = "failed to set up invariant testing environment: Invariant test function should have no inputs"
_REMOVED = "`testFail*` has been removed. Consider changing to test_Revert[If|When]_Condition and expecting a revert"
_MANY_SET_UPS = "multiple setUp functions"


def is_test(function: Function) -> bool:
    """Whether forge runs the function by itself: a unit, fuzz or table test."""
    if function.name.startswith(TABLE):
        return bool(function.inputs.members)
    return function.name.startswith(TEST) and not function.name.startswith(TEST_FAIL)


def is_invariant(function: Function) -> bool:
    """Whether forge asks the function after each call."""
    return function.name.startswith(INVARIANTS) and not function.inputs.members


def is_reserved(function: Function) -> bool:
    """Whether the name means something to forge, so that the function is no handler where the test targets itself."""
    name = function.name
    return name.startswith((TEST, TABLE, FIXTURE, *INVARIANTS)) or name.lower() in ("setup", "afterinvariant")


def _tests(harness: Harness) -> Iterator[TestDescription]:
    if sum(function.name == "setUp" for function in harness.abi.functions) > 1:
        yield TestDescription(SET_UP, "assertion", Check.DECIDED, reason=_MANY_SET_UPS)
        return
    # A contract that still has such tests is not run at all.
    removed = [function for function in harness.abi.functions if function.name.startswith(TEST_FAIL)]
    found = [test for function in removed or harness.abi.functions for test in _test(harness, function)]
    if not found:
        raise nothing_found(harness, "foundry", "functions named test*, invariant*, statefulFuzz* or table*")
    yield from found


def _test(harness: Harness, function: Function) -> Iterator[TestDescription]:
    name = function.signature
    if function.name.startswith(TEST_FAIL):
        yield TestDescription(name, "assertion", Check.DECIDED, reason=_REMOVED)
    elif is_test(function):
        yield _stateless(harness, function)
    elif function.name.startswith(INVARIANTS):
        yield _invariant(harness, function)


def _stateless(harness: Harness, function: Function) -> TestDescription:
    reason = harness.decided.get(function.signature)
    if reason is not None:
        return TestDescription(function.signature, "assertion", Check.DECIDED, reason=reason)
    is_unit = not function.inputs.members
    return TestDescription(function.signature, "assertion", Check.FOUNDRY_TEST, function, strict=is_unit)


def _invariant(harness: Harness, function: Function) -> TestDescription:
    reason = harness.decided.get(function.signature)
    if function.inputs.members:
        reason = _INVARIANT_WITH_INPUTS
    if reason is not None:
        return TestDescription(function.signature, "property", Check.DECIDED, reason=reason)
    # Forge looks for the greatest value of these, and never holds them for failed.
    returns_value = list(function.outputs.members) == [Int(256)]
    check = Check.FOUNDRY_HANDLERS if returns_value else Check.FOUNDRY_INVARIANT
    return TestDescription(function.signature, "property", check, function, function.signature in harness.strict)


def _recognises(harness: Harness) -> str | None:
    tests = [each for each in harness.abi.functions if is_test(each) or is_invariant(each)]
    if not tests:
        return None
    if harness.has(IS_TEST) or harness.has(SET_UP):
        return f"it is a Foundry test with {tests[0].name}"
    return f"a foundry.toml is there and it has {tests[0].name}" if harness.in_foundry_project else None


FOUNDRY = Mode(
    name="foundry",
    meaning="What `forge test` runs: `test*`, `table*` and `invariant*` fail as they do there.",
    world=FOUNDRY_WORLD,
    tests=_tests,
    recognises=_recognises,
    is_called=lambda _harness, function: is_test(function),
    sets_up=lambda harness: harness.has(SET_UP),
    view_weight=1.0,
    forge_cheatcodes=True,
    judges_set_up=True,
)
