"""Judging of a climb: the value of an optimization test, or how close the sides of comparisons come."""

from __future__ import annotations

from simulator.fuzz.loop.engine import FuzzEngine
from simulator.fuzz.loop.near import Near
from simulator.fuzz.waypoints.paring import Paring, Place, apart
from simulator.transaction import Sequence


class GreatestValue:
    """The greatest value of an optimization test, which the fuzz loop keeps."""

    def __init__(self, engine: FuzzEngine, oracle: int) -> None:
        self._engine = engine
        self._oracle = oracle
        self._best = engine.oracles.best(oracle)

    def is_better(self, _: Sequence) -> bool:
        """Return whether it grew since it was asked last."""
        before, self._best = self._best, self._engine.oracles.best(self._oracle)
        return self._best > before


class Approach:
    """Distances at the comparisons of a waypoint: none may grow, and one has to shrink."""

    def __init__(self, paring: Paring, start: Sequence, near: Near) -> None:
        self._paring = paring
        self._near = near
        self._best = self._distances(start)

    def is_better(self, sequence: Sequence) -> bool:
        """Return whether it came closer than all before."""
        found = self._distances(sequence)
        better = (
            bool(self._best)
            and all(found.get(place, 0) <= distance for place, distance in self._best.items())
            and any(found.get(place, 0) < distance for place, distance in self._best.items())
        )
        if better:
            self._best = found
        return better

    def _distances(self, sequence: Sequence) -> dict[Place, int]:
        return {place: apart(pair) for place, pair in self._paring.pairs(sequence, self._near).items()}
