"""Echidna's assertion mode."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.modes.checks import Check, TestDescription
from simulator.modes.forge_std import is_called_like_echidna, sets_up_like_echidna
from simulator.modes.mode import Harness, Mode
from simulator.modes.world import ECHIDNA_WORLD

ASSERTION_EVENT = "AssertionFailed(..)"


def _tests(harness: Harness) -> Iterator[TestDescription]:
    for function in harness.callable:
        yield TestDescription(function.signature, "assertion", Check.FUNCTION_ASSERTS, function)
    yield TestDescription(ASSERTION_EVENT, "call", Check.ASSERTION_EVENT)


def _recognises(harness: Harness) -> str | None:
    return "its code asserts" if harness.asserts else None


ASSERTION = Mode(
    name="assertion",
    meaning="No function that is called may fail an `assert` or emit `AssertionFailed`.",
    world=ECHIDNA_WORLD,
    tests=_tests,
    recognises=_recognises,
    is_called=is_called_like_echidna,
    sets_up=sets_up_like_echidna,
    view_weight=1.0,
)
