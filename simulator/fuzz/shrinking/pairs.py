"""Passes over two numbers at once: lowered together, one for the other, or one after which the other is solved.

Two numbers keep a linear relation while they move along its slope. How fast each changes the sides of a comparison is
observed, so that sums, differences and multiples are followed, also across calls.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import combinations
from math import gcd

from simulator.abi.types import Int
from simulator.fuzz.comparisons.solving import MODULUS, ObservedOperands, solutions
from simulator.fuzz.shrinking.attempts import Attempts, Comparisons, Site
from simulator.fuzz.shrinking.calls import telling
from simulator.fuzz.shrinking.integers import find_integer
from simulator.fuzz.shrinking.places import NumberPlace, Places
from simulator.transaction import Sequence

MAX_PLACES = 12
MAX_DEEP_PLACES = 24
MAX_SLOPE = 1 << 80
MAX_REPAIRED = 8
MAX_FLIPPED = 6
MAX_GROUPED = 64
MAX_ROUNDED = 4
STEPS = range(2, 17)
DIVISORS = (1 << 64, 10**9, 1 << 16, 1000, 256, 10, 2)
Effects = dict[NumberPlace, dict[Site, int]]
Move = tuple[int, int]
"""What one step adds to each of two numbers. The first gets closer to 0."""


class Pairs:
    """Each method is a pass over the best sequence of `attempts`."""

    def __init__(self, attempts: Attempts, places: Places) -> None:
        self._attempts = attempts
        self._places = places

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
        effects = self._effects(places) if len(places) <= most else {}
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

    def _effects(self, places: list[NumberPlace]) -> Effects:
        """By how much each number, made larger by one, changes the difference of the sides of each comparison that it
        changes at all. What follows a call that goes another way then is a consequence, and left out. Empty where
        nothing can be observed."""
        return {place: self._effects_of(place) for place in places} if self._attempts.observe(self._best) else {}

    def _effects_of(self, place: NumberPlace) -> dict[Site, int]:
        found: dict[Site, int] = {}
        nudged, step = self._nudged(self._best, place)
        if nudged is None:
            return found
        for call in self._attempts.observed(self._best):
            if call >= place.index:
                before = self._attempts.observe_call(self._best, call)
                after = self._attempts.observe_call(nudged, call)
                for site in before.keys() & after.keys():
                    if before[site] != after[site]:
                        found[site] = _signed(_difference(after[site]) - _difference(before[site])) * step
                if _flipped(before, after):
                    break
        return found

    def _nudged(self, sequence: Sequence, place: NumberPlace) -> tuple[Sequence | None, int]:
        number = self._places.get(sequence, place)
        for step in (1, -1):
            nudged = self._places.put(sequence, place, number + step)
            if nudged is not None:
                return nudged, step
        return None, 1

    # --- one solved for the other ------------------------------------------------------------------------------------

    def repair(self) -> None:
        """Make a number much smaller, and solve the comparisons that come out otherwise then for another number."""
        places = self._movable()
        if not 1 < len(places) <= MAX_REPAIRED:
            return
        effects = self._effects(self._places.of(self._best))
        for place in places if effects else ():
            number = self._places.get(self._best, place)
            sign = 1 if number > 0 else -1
            before = self._best

            def nearer(
                steps: int,
                place: NumberPlace = place,
                number: int = number,
                sign: int = sign,
                before: Sequence = before,
            ) -> bool:
                return self._repaired(before, place, number - sign * steps, effects)

            if nearer(abs(number)) or (abs(number) > 1 and nearer(abs(number) - 1)):
                return
            if find_integer(nearer, abs(number)):
                return

    def _repaired(self, start: Sequence, place: NumberPlace, target: int, effects: Effects) -> bool:
        broken = self._places.put(start, place, target)
        if broken is None:
            return False
        for call in self._attempts.observed(start):
            if call >= place.index:
                before = self._attempts.observe_call(start, call)
                after = self._attempts.observe_call(broken, call)
                flipped = _flipped(before, after) & after.keys()
                if any(
                    self._solved(broken, other, call, after, flipped & changed.keys())
                    for other, changed in effects.items()
                    if other != place and other.unit == place.unit
                ):
                    return True
        return False

    def _solved(
        self, broken: Sequence, place: NumberPlace, call: int, before: Comparisons, flipped: Collection[Site]
    ) -> bool:
        """Let a number take the value with which one of these comparisons of a call comes out as it did."""
        nudged, step = self._nudged(broken, place) if flipped else (None, 1)
        if nudged is None:
            return False
        after = self._attempts.observe_call(nudged, call)
        number = self._places.get(broken, place) % MODULUS
        for site in sorted(flipped)[:MAX_FLIPPED]:
            if site in after and after[site] != before[site]:
                exact = solutions(number, step, ObservedOperands(*before[site]), ObservedOperands(*after[site]))
                for wanted in dict.fromkeys((*exact, *_rounded(number, step, before[site], after[site]))):
                    value = _signed(wanted) if isinstance(place.type, Int) else wanted
                    if self._attempts.attempt(self._places.put(broken, place, value)):
                        return True
        return False


def _flipped(before: Comparisons, after: Comparisons) -> set[Site]:
    """The comparisons that come out otherwise, or no longer happen."""
    return {site for site in before if site not in after or _sign(before[site]) != _sign(after[site])}


def _observed_moves(one: dict[Site, int], other: dict[Site, int]) -> Iterator[Move]:
    """Moves that leave the difference of the sides of a comparison as it is."""
    for site in one.keys() & other.keys():
        if not (0 < abs(one[site]) < MAX_SLOPE and 0 < abs(other[site]) < MAX_SLOPE):
            continue
        common = gcd(one[site], other[site])
        first, second = other[site] // common, -one[site] // common
        yield (first, second) if first > 0 else (-first, -second)


def _rounded(number: int, step: int, before: tuple[int, int], after: tuple[int, int]) -> Iterator[int]:
    """Numbers on both sides of where the difference changes its sign, where no number makes it nought."""
    slope = _difference(after) - _difference(before)
    for count in (-_difference(before) // slope, -_difference(before) // slope + 1) if slope else ():
        yield (number + step * count) % MODULUS


def _room(place: NumberPlace, number: int, step: int) -> int:
    """Return how many steps fit into the range of a place."""
    if step > 0:
        return (place.largest - number) // step
    lowest = -place.largest - 1 if isinstance(place.type, Int) else 0
    return (number - lowest) // -step


def _difference(pair: tuple[int, int]) -> int:
    return pair[0] - pair[1]


def _sign(pair: tuple[int, int]) -> int:
    return (pair[0] > pair[1]) - (pair[0] < pair[1])


def _signed(number: int) -> int:
    number %= MODULUS
    return number - MODULUS if number >> 255 else number
