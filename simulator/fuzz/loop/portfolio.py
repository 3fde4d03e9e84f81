"""Shares of the sequence builders by what they brought lately: a bandit over counts.

A builder's share grows up to `MOST` times, and shrinks down to `LEAST` of what it was at first, by how often its
sequences were worth looking at, compared with all. Old finds count less and less. Where none has brought anything for
long, all shares are what they were at first.
"""

from __future__ import annotations

from itertools import accumulate

from simulator.evm.kernel.records import Int64s
from simulator.fuzz.native.builders import BUILDER_COUNT
from simulator.fuzz.native.layout.context import Fuzz

MOST, LEAST = 2.0, 0.5
PRIOR = 4.0
"""Finds that each builder is taken to have had, in proportion to its share."""
FORGETTING = 0.5
SCALE = 1000
PLATEAU = 16
"""Reviews without a find after which shares begin anew."""


class Portfolio:
    """`review` is called after the same number of sequences each time."""

    def __init__(self, fuzz: Fuzz, shares: list[int]) -> None:
        self._fuzz = fuzz
        self._first = shares
        self._shares = [float(each) for each in shares]
        self._finds = [0.0] * BUILDER_COUNT
        self._quiet = 0

    def credit(self) -> None:
        """The sequence in hand, which the native loop built, was worth looking at."""
        if self._fuzz.builder >= 0:
            self._finds[self._fuzz.builder] += 1.0

    def review(self) -> None:
        """Give out the shares anew."""
        total = sum(self._finds)
        self._quiet = 0 if total >= 1.0 else self._quiet + 1
        if self._quiet >= PLATEAU:
            self._finds = [0.0] * BUILDER_COUNT
        self._write([self._share(number) for number in range(BUILDER_COUNT)])
        self._finds = [each * FORGETTING for each in self._finds]

    def _share(self, number: int) -> float:
        """By finds for each sequence: the expected ones are those of all, in proportion to the share it had."""
        expected = (sum(self._finds) + PRIOR) * self._shares[number] / max(sum(self._shares), 1e-9)
        if not expected:
            return 0.0
        prior = PRIOR * self._shares[number] / sum(self._shares)
        factor = (self._finds[number] + prior) / expected
        return self._first[number] * min(MOST, max(LEAST, factor))

    def _write(self, shares: list[float]) -> None:
        self._shares = shares
        table: Int64s = self._fuzz.builder_shares
        for number, total in enumerate(accumulate(round(SCALE * each) for each in shares)):
            table[number] = total
