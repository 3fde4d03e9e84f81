"""Echidna's overflow mode."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.modes.checks import Check, TestDescription
from simulator.modes.forge_std import is_called_like_echidna, sets_up_like_echidna
from simulator.modes.mode import Harness, Mode
from simulator.modes.world import ECHIDNA_WORLD

OVERFLOW_TEST = "Integer (over/under)flow"


def _tests(_harness: Harness) -> Iterator[TestDescription]:
    yield TestDescription(OVERFLOW_TEST, "call", Check.OVERFLOW)


OVERFLOW = Mode(
    name="overflow",
    meaning="No call may end in an arithmetic overflow.",
    world=ECHIDNA_WORLD,
    tests=_tests,
    recognises=lambda _harness: None,
    is_called=is_called_like_echidna,
    sets_up=sets_up_like_echidna,
)
