"""Lists of numbers: `sort`, `shuffle`."""

from __future__ import annotations

from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.values.randomness import random_uint_between


@cheatcode("sort(uint256[])")
def sort(_vm: Session, values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(values))


@cheatcode("shuffle(uint256[])")
def shuffle(vm: Session, values: tuple[int, ...]) -> tuple[int, ...]:
    """In an order that follows from what was drawn before in the sequence (Fisher and Yates)."""
    shuffled = list(values)
    for last in range(len(shuffled) - 1, 0, -1):
        chosen = random_uint_between(vm, 0, last)
        shuffled[last], shuffled[chosen] = shuffled[chosen], shuffled[last]
    return tuple(shuffled)
