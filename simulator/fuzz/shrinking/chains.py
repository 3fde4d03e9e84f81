"""Passes that make one number smaller and let others follow: those that the program compares with it, those that it
compares with these, and two others that keep a sum with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import gcd

from simulator.abi.types import Int
from simulator.fuzz.comparisons.solving import MODULUS, ObservedOperands, solutions
from simulator.fuzz.shrinking.attempts import Attempts, Comparisons, Site
from simulator.fuzz.shrinking.effects import Effects, Observer, flipped, rounded, signed
from simulator.fuzz.shrinking.integers import find_integer
from simulator.fuzz.shrinking.places import NumberPlace, Places
from simulator.transaction import Sequence

MAX_PLACES = 8
MAX_FLIPPED = 6
MAX_FOLLOWING = 2
"""Numbers that follow another one, besides the one that ends the chain."""
MAX_BRANCHES = 2
"""Values of a number that is followed by others."""
SMALL = 8
"""Numbers from 0 on that are tried one by one."""
MAX_TRIPLES = 6
MAX_COEFFICIENT = 1 << 12


class Chains:
    """Each method is a pass over the best sequence of `attempts`."""

    def __init__(self, attempts: Attempts, places: Places, observer: Observer) -> None:
        self._attempts = attempts
        self._places = places
        self._observer = observer

    @property
    def _best(self) -> Sequence:
        return self._attempts.best

    def _movable(self) -> list[NumberPlace]:
        return [place for place in self._places.of(self._best) if self._places.get(self._best, place)]

    # --- one after the other -----------------------------------------------------------------------------------------

    def repair(self, *, following: int = 0) -> None:
        """Make a number smaller, and solve the comparisons that come out otherwise then for another number. With
        `following`, what comes out otherwise after that is solved for further ones, so many times."""
        places = self._movable()
        if not 1 < len(places) <= MAX_PLACES:
            return
        effects = self._observer.of(self._places.of(self._best))
        for place in places if effects else ():
            if self._repair_after(place, effects, following):
                return

    def _repair_after(self, place: NumberPlace, effects: Effects, following: int) -> bool:
        start = self._best
        number = self._places.get(start, place)
        sign = 1 if number > 0 else -1

        def reaches(magnitude: int) -> bool:
            broken = self._places.put(start, place, sign * magnitude)
            return broken is not None and self._follow(start, broken, {place}, effects, following)

        small = range(min(abs(number), SMALL if following else 2))
        return any(map(reaches, small)) or bool(find_integer(lambda steps: reaches(abs(number) - steps), abs(number)))

    def _follow(
        self, start: Sequence, broken: Sequence, moved: set[NumberPlace], effects: Effects, following: int
    ) -> bool:
        """Let other numbers than the `moved` ones take values with which comparisons come out as they did."""
        for call in self._attempts.observed(start):
            if call >= min(place.index for place in moved):
                before = self._attempts.observe_call(start, call)
                after = self._attempts.observe_call(broken, call)
                changed = flipped(before, after) & after.keys()
                is_solvable = False
                for other, own in effects.items():
                    sites = changed & own.keys()
                    if other not in moved and sites and all(other.unit == place.unit for place in moved):
                        is_solvable = True
                        solved = self._solved(broken, other, call, after, sites)
                        for position, candidate in enumerate(solved):
                            if self._attempts.attempt(candidate) or (
                                following
                                and position < MAX_BRANCHES
                                and self._follow(start, candidate, {*moved, other}, effects, following - 1)
                            ):
                                return True
                if following and is_solvable:
                    return False  # what comes later follows from this
        return False

    def _solved(
        self, broken: Sequence, place: NumberPlace, call: int, before: Comparisons, sites: set[Site]
    ) -> Iterator[Sequence]:
        """The sequence with values of a number with which one of these comparisons of a call comes out otherwise."""
        nudged, step = self._observer.nudged(broken, place)
        if nudged is None:
            return
        after = self._attempts.observe_call(nudged, call)
        number = self._places.get(broken, place) % MODULUS
        for site in sorted(sites)[:MAX_FLIPPED]:
            if site in after and after[site] != before[site]:
                exact = solutions(number, step, ObservedOperands(*before[site]), ObservedOperands(*after[site]))
                for wanted in dict.fromkeys((*exact, *rounded(number, step, before[site], after[site]))):
                    value = signed(wanted) if isinstance(place.type, Int) else wanted
                    solved = self._places.put(broken, place, value)
                    if solved is not None:
                        yield solved

    # --- three at once -----------------------------------------------------------------------------------------------

    def slide_three(self) -> None:
        """Make the first of three numbers of one comparison smaller, and the second as small as the third allows, so
        that the difference of its sides stays as it is."""
        places = self._places.of(self._best)
        if not 2 < len(places) <= MAX_PLACES:
            return
        effects = self._observer.of(places)
        triples = [
            (three, site)
            for three in combinations(effects, 3)
            if len({place.unit for place in three}) == 1
            for site in sorted(set.intersection(*(set(effects[place]) for place in three)))[:1]
        ]
        for three, site in triples[:MAX_TRIPLES]:
            slopes = [effects[place][site] for place in three]
            if all(0 < abs(slope) < MAX_COEFFICIENT for slope in slopes) and any(
                map(self._attempts.attempt, self._slid(three, slopes))
            ):
                return

    def _slid(self, three: tuple[NumberPlace, ...], slopes: list[int]) -> Iterator[Sequence | None]:
        start = self._best
        first, second, third = (self._places.get(start, place) for place in three)
        period = abs(slopes[2]) // gcd(slopes[1], slopes[2])
        for nearer in range(min(first, SMALL)):
            lost = slopes[0] * (first - nearer)
            fitting = [each for each in range(period) if (lost + slopes[1] * (second - each)) % slopes[2] == 0]
            for other in (each + turn * period for turn in range(2) for each in fitting[:1]):
                changed = self._places.put(self._places.put(start, three[0], nearer), three[1], other)
                yield self._places.put(changed, three[2], third + (lost + slopes[1] * (second - other)) // slopes[2])
