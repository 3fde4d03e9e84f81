"""Schedule of corpus entries that sequences are built from: the rarer what they cover, the more often.

The energy of an entry is the sum of 1 / (entries that cover it) over its features (`simulator.corpus.feature_index`
has the same for the whole campaign). The square root keeps one entry that covers much from taking everything.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

MEAN_COPIES, MAX_COPIES = 4, 16


class CorpusSchedule:
    """The last `capacity` entries, in the order in which they came. Depends on nothing but what was added."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._added = 0
        self._features: deque[npt.NDArray[np.int64] | None] = deque()
        self._numbers: dict[tuple[int, int], int] = {}
        self._counts = np.zeros(1024, np.int64)
        self._due = 0

    def add(self, features: Iterable[tuple[int, int]] | None) -> bool:
        """Another entry, with features as (code, number), or None for one that was not measured. Returns whether shares
        are to be made anew: for each entry at first, then when a sixteenth more have come."""
        if len(self._features) >= self._capacity:
            self._forget_oldest()
        if features is None:
            self._features.append(None)
        else:
            numbers = np.fromiter((self._number(feature) for feature in features), np.int64)
            if len(self._numbers) > self._counts.size:
                self._counts = np.concatenate([self._counts, np.zeros(len(self._numbers), np.int64)])
            self._counts[numbers] += 1
            self._features.append(numbers)
        self._added += 1
        if self._added < self._due:
            return False
        self._due = self._added + max(1, len(self._features) // 16)
        return True

    def copies(self) -> list[int]:
        """Return the number of places of each entry in a table that is drawn from; at least one."""
        rarity = 1.0 / np.maximum(self._counts, 1)
        known = [None if numbers is None else float(rarity[numbers].sum()) for numbers in self._features]
        measured = [energy for energy in known if energy is not None]
        mean = sum(measured) / len(measured) if measured else 1.0
        return [_share(1.0 if energy is None else energy / (mean or 1.0)) for energy in known]

    def _forget_oldest(self) -> None:
        """Its features are rarer by one."""
        numbers = self._features.popleft()
        if numbers is not None:
            self._counts[numbers] -= 1

    def _number(self, feature: tuple[int, int]) -> int:
        return self._numbers.setdefault(feature, len(self._numbers))


def _share(energy: float) -> int:
    return int(min(MAX_COPIES, max(1, round(MEAN_COPIES * energy**0.5))))
