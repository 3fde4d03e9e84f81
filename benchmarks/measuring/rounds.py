"""Interleaved measurement: every contestant once a round, so that slow phases of the machine meet all of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Rates:
    """Calls per second of one contestant, one a round."""

    all: tuple[float, ...]

    @property
    def best(self) -> float:
        return max(self.all)

    @property
    def median(self) -> float:
        return statistics.median(self.all)

    def against(self, other: Rates) -> tuple[float, ...]:
        """This one's rate, as multiples of the other's in the same round."""
        return tuple(own / its for own, its in zip(self.all, other.all, strict=True))


def interleave(
    contestants: Mapping[str, Callable[[], float]], rounds: int, progress: Callable[[str], None]
) -> dict[str, Rates]:
    """Each contestant measures itself and answers calls per second."""
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds):
        for name, measure in contestants.items():
            progress(f"round {number + 1} of {rounds}: {name}")
            found[name].append(measure())
    return {name: Rates(tuple(rates)) for name, rates in found.items()}
