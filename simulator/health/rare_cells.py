"""Hits of each coverage cell by random calls, apart from what workers execute for other ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from simulator.evm.code_store import CoveredCode
from simulator.health.observations import RareCells

COUNT = np.uint64((1 << 48) - 1)
RARE = 2

Counts = npt.NDArray[np.int64]


class HitCounts:
    """Deployment, replaying, trimming and adopting execute code too, over and over where it is new. What is executed
    within `aside` does not count."""

    def __init__(self, codes: Callable[[], Sequence[CoveredCode]]) -> None:
        self._codes = codes
        self._others: list[Counts] = self._counts()
        self._is_aside = False

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Leave out what is executed meanwhile. Within another such block it does nothing of its own."""
        if self._is_aside:
            yield
            return
        self._is_aside, before = True, self._counts()
        try:
            yield
        finally:
            self._is_aside = False
            for index, after in enumerate(self._counts()):
                if index >= len(self._others):
                    self._others.append(np.zeros_like(after))
                self._others[index] += after - before[index] if index < len(before) else after

    def rare(self) -> tuple[RareCells, ...]:
        """Cells that were executed, and by random calls at most twice."""
        found = []
        for index, counts in enumerate(self._counts()):
            hits = counts - self._others[index] if index < len(self._others) else counts
            cells = np.nonzero((counts > 0) & (hits <= RARE))[0]
            if cells.size:
                shown = np.clip(hits[cells], 0, RARE).astype("u1").tobytes()
                found.append(RareCells(index, cells.astype("<u4").tobytes(), shown))
        return tuple(found)

    def _counts(self) -> list[Counts]:
        return [(covered.cells & COUNT).astype(np.int64) for covered in self._codes()]
