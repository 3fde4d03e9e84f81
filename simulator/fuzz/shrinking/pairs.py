"""Passes over two numbers at once: lowered together, or one for the other.

Two numbers keep a linear relation while they move along its slope. How fast each changes the sides of a comparison is
observed, so that sums, differences and multiples are followed, also across calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import gcd

from simulator.abi.types import Int
from simulator.fuzz.shrinking.attempts import Attempts, Site
from simulator.fuzz.shrinking.calls import telling
from simulator.fuzz.shrinking.effects import Observer
from simulator.fuzz.shrinking.integers import find_integer
from simulator.fuzz.shrinking.places import NumberPlace, Places
from simulator.transaction import Sequence

MAX_PLACES = 12
MAX_DEEP_PLACES = 24
MAX_SLOPE = 1 << 80
MAX_GROUPED = 64
MAX_ROUNDED = 4
STEPS = range(2, 17)
DIVISORS = (1 << 64, 10**9, 1 << 16, 1000, 256, 10, 2)
Move = tuple[int, int]
"""What one step adds to each of two numbers. The first gets closer to 0."""


class Pairs:
    """Each method is a pass over the best sequence of `attempts`."""

    def __init__(self, attempts: Attempts, places: Places, effects: Observer) -> None:
        self._attempts = attempts
        self._places = places
        self._effects = effects

    @property
    def _best(self) -> Sequence:
        return self._attempts.best

    def _movable(self) -> list[NumberPlace]:
        return [place for place in self._places.of(self._best) if self._places.get(self._best, place)]

    # --- many at once ------------------------------------------------------------------------------------------------

    def lower_groups(self) -> None:
        """Lower all numbers at once, and all that are the same argument of a function, by as much or to a fraction."""
        amounts = [place for place in self._movable() if place.unit == "amount" and self._get(place) > 0]
        for group in (amounts, *self._places.alike(self._best)):
            if 1 < len(group) <= MAX_GROUPED:
                for divisor in DIVISORS:
                    while any(map(self._attempts.attempt, self._divided(group, divisor))):
                        pass
                find_integer(self._lowering(self._best, group), min(map(self._get, group)))

    def _get(self, place: NumberPlace) -> int:
        return self._places.get(self._best, place)

    def _lowering(self, start: Sequence, group: list[NumberPlace]) -> Callable[[int], bool]:
        def lowered(count: int) -> bool:
            changed: Sequence | None = start
            for place in group:
                changed = self._places.put(changed, place, self._places.get(start, place) - count)
            return self._attempts.attempt(changed)

        return lowered

    def _divided(self, group: list[NumberPlace], divisor: int) -> Iterator[Sequence | None]:
        """All numbers divided; of few, then each of them once one larger, for one that is bounded by the others."""
        start = self._best
        for raised in (None, *(group if len(group) <= MAX_ROUNDED else ())):
            changed: Sequence | None = start
            for place in group:
                quotient = self._places.get(start, place) // divisor
                changed = self._places.put(changed, place, quotient + (place == raised))
            yield None if changed == start else changed

    # --- along a line ------------------------------------------------------------------------------------------------

    def slide(self, *, deep: bool) -> None:
        """Move each two numbers along the lines that may keep what matters of them; of many, those that are near."""
        calls = telling(self._best) if deep else range(len(self._best))
        places = [place for place in self._places.of(self._best) if place.index in calls]
        most = MAX_DEEP_PLACES if deep else MAX_PLACES
        effects = self._effects.of(places) if len(places) <= most else {}
        reach = len(places) if len(places) <= most else max(1, most * most // (2 * len(places)))
        for position, other in combinations(range(len(places)), 2):
            first, second = places[position], places[other]
            if other - position <= reach and first.unit == second.unit and self._get(first):
                one, two = effects.get(first, {}), effects.get(second, {})
                # Numbers that no comparison sees together are not related by a remainder either.
                is_related = not effects or not one.keys().isdisjoint(two)
                for move in dict.fromkeys((*_observed_moves(one, two), (1, 1), (1, -1))):
                    self._slide_along(first, second, move, deep=deep and is_related)

    def _slide_along(self, first: NumberPlace, second: NumberPlace, move: Move, *, deep: bool) -> None:
        start = self._best
        one, other = self._places.get(start, first), self._places.get(start, second)
        if not one or self._places.put(start, first, one) is None:
            return
        sign = -1 if one > 0 else 1
        down, across = sign * move[0], sign * move[1]
        limit = min(abs(one) // move[0], _room(second, other, across))

        def moved(count: int) -> bool:
            nearer = self._places.put(start, first, one + count * down)
            return self._attempts.attempt(self._places.put(nearer, second, other + count * across))

        if limit > 0 and not moved(limit) and not find_integer(moved, limit) and deep:
            for step in STEPS:
                if find_integer(lambda count, step=step: moved(count * step), limit // step):  # type: ignore[misc]
                    return


def _observed_moves(one: dict[Site, int], other: dict[Site, int]) -> Iterator[Move]:
    """Moves that leave the difference of the sides of a comparison as it is."""
    for site in one.keys() & other.keys():
        if not (0 < abs(one[site]) < MAX_SLOPE and 0 < abs(other[site]) < MAX_SLOPE):
            continue
        common = gcd(one[site], other[site])
        first, second = other[site] // common, -one[site] // common
        yield (first, second) if first > 0 else (-first, -second)


def _room(place: NumberPlace, number: int, step: int) -> int:
    """Return how many steps fit into the range of a place."""
    if step > 0:
        return (place.largest - number) // step
    lowest = -place.largest - 1 if isinstance(place.type, Int) else 0
    return (number - lowest) // -step
