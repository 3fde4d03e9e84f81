"""Medusa's mode: properties, assertions and values to maximise in one campaign."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.abi.contract import Function
from simulator.abi.types import AbiType, Bool, Int
from simulator.modes.checks import Check, TestDescription
from simulator.modes.mode import Harness, Mode
from simulator.modes.world import MEDUSA_WORLD


def _tests(harness: Harness) -> Iterator[TestDescription]:
    for function in harness.abi.functions:
        if _is_property(harness, function):
            yield TestDescription(function.name, "property", Check.PROPERTY_TRUE, function)
        elif _is_optimization(harness, function):
            yield TestDescription(function.name, "optimization", Check.OPTIMIZATION, function)
    if harness.medusa.assertions:
        for function in harness.callable:
            yield TestDescription(function.signature, "assertion", Check.FUNCTION_ASSERTS, function)


def _is_property(harness: Harness, function: Function) -> bool:
    return _has_form(harness.medusa.properties, function, Bool())


def _is_optimization(harness: Harness, function: Function) -> bool:
    return _has_form(harness.medusa.optimizations, function, Int(256))


def is_medusa_test(harness: Harness, function: Function) -> bool:
    """Return whether the function is a test by its name and form in Medusa's mode."""
    return _is_property(harness, function) or _is_optimization(harness, function)


def _has_form(prefixes: tuple[str, ...], function: Function, result: AbiType) -> bool:
    """Medusa takes what has the prefix and another form for an ordinary function."""
    is_plain = not function.inputs.members and list(function.outputs.members) == [result]
    return is_plain and function.name.startswith(prefixes)


def _recognises(harness: Harness) -> str | None:
    found = [each.name for each in harness.abi.functions if _is_property(harness, each)]
    return f"it has functions named {harness.medusa.properties[0]}* that return bool" if found else None


MEDUSA = Mode(
    name="medusa",
    meaning="Medusa's tests at once: `property_*` must return true, no call may panic, `optimize_*` is maximised.",
    world=MEDUSA_WORLD,
    tests=_tests,
    recognises=_recognises,
    is_called=lambda harness, function: not is_medusa_test(harness, function),
    sets_up=lambda _harness: False,
    watches_events=False,
)
