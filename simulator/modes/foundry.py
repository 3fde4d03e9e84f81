"""Forge's tests: unit and fuzz tests, tables, invariants. What fails, and why, is that of forge 1.7.1."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.abi.contract import ContractAbi, Function
from simulator.abi.types import Int
from simulator.modes.checks import Check, TestDescription
from simulator.modes.forge_std import IS_TEST, SET_UP
from simulator.modes.mode import Harness, Mode, nothing_found
from simulator.modes.world import FOUNDRY_WORLD

TEST, TEST_FAIL, TABLE, FIXTURE = "test", "testFail", "table", "fixture"
INVARIANTS = ("invariant", "statefulFuzz")
AFTER_INVARIANT, BEFORE_TEST_SETUP = "afterInvariant()", "beforeTestSetup(bytes4)"
SET_UP_NAME, AFTER_NAME = "setUp", "afterInvariant"
WRONG_TARGETS = "failed to set up invariant testing environment: "
NO_CONTRACTS = f"{WRONG_TARGETS}No contracts to fuzz."
_INVARIANT_WITH_INPUTS = f"{WRONG_TARGETS}Invariant test function should have no inputs"
_REMOVED = "`testFail*` has been removed. Consider changing to test_Revert[If|When]_Condition and expecting a revert"


def once_named(abi: ContractAbi, name: str) -> bool:
    """Return whether forge calls what has this name and no arguments: one function is called so, whatever its
    arguments."""
    alike = [function.name for function in abi.functions if function.name.lower() == name.lower()]
    return alike == [name]


def is_test(function: Function) -> bool:
    """Return whether forge runs the function by itself: a unit, fuzz or table test."""
    return function.name.startswith((TEST, TABLE)) and not function.name.startswith(TEST_FAIL)


def is_invariant(function: Function) -> bool:
    """Return whether forge asks the function after each call."""
    return function.name.startswith(INVARIANTS) and not function.inputs.members


def never_fails(invariant: Function) -> bool:
    """Return whether forge looks for the greatest value that the invariant returns, and holds it for passed."""
    return list(invariant.outputs.members) == [Int(256)]


def is_reserved(function: Function) -> bool:
    """Return whether the name means something to forge, so that the function is no handler where the test targets
    itself."""
    name = function.name
    return name.startswith((TEST, TABLE, FIXTURE, *INVARIANTS)) or name.lower() in ("setup", "afterinvariant")


def _tests(harness: Harness) -> Iterator[TestDescription]:
    for name in (SET_UP_NAME, AFTER_NAME):
        if sum(function.name.lower() == name.lower() for function in harness.abi.functions) > 1:
            yield TestDescription(f"{name}()", "assertion", Check.DECIDED, reason=f"multiple {name} functions")
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
    is_unit = not function.inputs.members or function.name.startswith(TABLE)
    return TestDescription(function.signature, "assertion", Check.FOUNDRY_TEST, function, strict=is_unit)


def _invariant(harness: Harness, function: Function) -> TestDescription:
    name = function.signature
    reason = _INVARIANT_WITH_INPUTS if function.inputs.members else harness.decided.get(name)
    if reason is not None:
        return TestDescription(name, "property", Check.DECIDED, reason=reason)
    check = Check.NOTHING if never_fails(function) else Check.FOUNDRY_INVARIANT
    is_strict, depth = name in harness.strict, harness.depths.get(name, 0)
    return TestDescription(name, "property", check, function, is_strict, depth=depth)


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
    sets_up=lambda harness: once_named(harness.abi, SET_UP_NAME),
    view_weight=1.0,
    forge_cheatcodes=True,
    judges_set_up=True,
)
