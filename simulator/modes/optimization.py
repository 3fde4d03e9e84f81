"""Echidna's optimization mode."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.abi.types import Int
from simulator.errors import TargetError
from simulator.modes.checks import Check, TestDescription
from simulator.modes.forge_std import is_called_like_echidna, sets_up_like_echidna
from simulator.modes.mode import Harness, Mode, nothing_found
from simulator.modes.property import refuse_arguments
from simulator.modes.world import ECHIDNA_WORLD


def _tests(harness: Harness) -> Iterator[TestDescription]:
    functions = harness.prefixed()
    if not functions:
        raise nothing_found(harness, "optimization", f"functions named {harness.prefix}*")
    for function in functions:
        refuse_arguments(harness, function)
        if list(function.outputs.members) != [Int(256)]:
            place = f"{harness.contract}.{function.signature}"
            raise TargetError(f"{place}: an optimization test must return exactly one int256")
        yield TestDescription(function.name, "optimization", Check.OPTIMIZATION, function)


def _recognises(harness: Harness) -> str | None:
    functions = harness.prefixed()
    if functions and all(list(each.outputs.members) == [Int(256)] for each in functions):
        return f"its functions named {harness.prefix}* return int256"
    return None


OPTIMIZATION = Mode(
    name="optimization",
    meaning="Look for the greatest value that functions named `echidna_*` return.",
    world=ECHIDNA_WORLD,
    tests=_tests,
    recognises=_recognises,
    is_called=is_called_like_echidna,
    sets_up=sets_up_like_echidna,
)
