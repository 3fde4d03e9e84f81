"""Climbing: steps along the numbers of a sequence, followed while something that is measured grows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from simulator.fuzz.comparisons.effort import Effort
from simulator.fuzz.comparisons.lengths import LengthPlace
from simulator.fuzz.comparisons.places import ArgumentPlace, places_of
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.settings import CampaignSettings
from simulator.transaction import WORD_MAX, Sequence

MAX_CALLS = 4
MAX_STEPS = 192
IsBetter = Callable[[Sequence], bool]
"""Whether a sequence, which was executed just now, is better than all that were asked about before."""


class Climber:
    """Each step doubles the one before while that helps, and is half of it where it does not."""

    def __init__(self, engine: FuzzEngine, settings: CampaignSettings, effort: Effort) -> None:
        self._engine = engine
        self._settings = settings
        self._effort = effort

    def climb(self, sequence: Sequence, is_better: IsBetter) -> Iterator[Sequence]:
        """Sequences to execute with their tests checked: the numbers of the last calls, one after the other."""
        for index in range(len(sequence) - 1, max(-1, len(sequence) - 1 - MAX_CALLS), -1):
            target = self._engine.target_of(sequence[index])
            if target is None:
                continue
            for place in places_of(sequence[index], target.function, self._settings):
                if isinstance(place, LengthPlace) or place.kind == "byte":
                    continue
                for sign in (1, -1):
                    sequence = yield from self._follow(sequence, index, place, sign, is_better)

    def _follow(
        self, sequence: Sequence, index: int, place: ArgumentPlace, sign: int, is_better: IsBetter
    ) -> Generator[Sequence, None, Sequence]:
        """Steps in one direction; returns the best sequence."""
        step = place.step
        is_growing = True
        for _ in range(MAX_STEPS):
            if step < place.step or self._effort.is_spent:
                break
            tried = place.put(sequence[index], (place.get(sequence[index]) + sign * step) & WORD_MAX)
            if tried is not None and tried != sequence[index]:
                candidate = (*sequence[:index], tried, *sequence[index + 1 :])
                self._effort.spend()
                yield candidate
                if is_better(candidate):
                    sequence = candidate
                    step *= 2 if is_growing else 1
                    continue
            if is_growing and step == place.step:
                break
            is_growing = False
            step //= 2
        return sequence
