"""How much each number of a sequence changes what the program compares."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.fuzz.comparisons.solving import MODULUS
from simulator.fuzz.shrinking.attempts import Attempts, Comparisons, Site
from simulator.fuzz.shrinking.places import NumberPlace, Places
from simulator.transaction import Sequence

Effects = dict[NumberPlace, dict[Site, int]]
MAX_PINNED = 24
"""Numbers of a sequence up to which each is observed on its own."""


class Observer:
    """Observes the best sequence of `attempts` and sequences like it."""

    def __init__(self, attempts: Attempts, places: Places) -> None:
        self._attempts = attempts
        self._places = places

    @property
    def _best(self) -> Sequence:
        return self._attempts.best

    def of(self, places: list[NumberPlace]) -> Effects:
        """By how much each number, made larger by one, changes the difference of the sides of each comparison that it
        changes at all. What follows a call that goes another way then is a consequence, and left out. Empty where
        nothing can be observed."""
        return {place: self._of(place) for place in places} if self._attempts.observe(self._best) else {}

    def _of(self, place: NumberPlace) -> dict[Site, int]:
        found: dict[Site, int] = {}
        nudged, step = self.nudged(self._best, place)
        if nudged is None:
            return found
        for call in self._attempts.observed(self._best):
            if call >= place.index:
                before = self._attempts.observe_call(self._best, call)
                after = self._attempts.observe_call(nudged, call)
                for site in before.keys() & after.keys():
                    if before[site] != after[site]:
                        found[site] = signed(difference(after[site]) - difference(before[site])) * step
                if flipped(before, after):
                    break
        return found

    def pinned(self) -> frozenset[int]:
        """Magnitudes of the numbers that something else must equal, which does not change with them. A number that is
        compared with itself, as by the decoding of arguments, is none."""
        places = self._places.of(self._best)
        if len(places) > MAX_PINNED:
            return frozenset()
        compared, found = self._attempts.observe(self._best), set()
        for place, changes in self.of(places).items():
            number = self._places.get(self._best, place)
            if any(change and compared[site] == (number % MODULUS,) * 2 for site, change in changes.items()):
                found.add(abs(number))
        return frozenset(found)

    def nudged(self, sequence: Sequence, place: NumberPlace) -> tuple[Sequence | None, int]:
        number = self._places.get(sequence, place)
        for step in (1, -1):
            nudged = self._places.put(sequence, place, number + step)
            if nudged is not None:
                return nudged, step
        return None, 1


def flipped(before: Comparisons, after: Comparisons) -> set[Site]:
    """The comparisons that come out otherwise, or no longer happen."""
    return {site for site in before if site not in after or sign(before[site]) != sign(after[site])}


def rounded(number: int, step: int, before: tuple[int, int], after: tuple[int, int]) -> Iterator[int]:
    """Numbers on both sides of where the difference changes its sign, where no number makes it nought."""
    slope = difference(after) - difference(before)
    for count in (-difference(before) // slope, -difference(before) // slope + 1) if slope else ():
        yield (number + step * count) % MODULUS


def difference(pair: tuple[int, int]) -> int:
    return pair[0] - pair[1]


def sign(pair: tuple[int, int]) -> int:
    return (pair[0] > pair[1]) - (pair[0] < pair[1])


def signed(number: int) -> int:
    number %= MODULUS
    return number - MODULUS if number >> 255 else number
