"""Campaign-wide numbers of coverage features, so that the features of an entry are a small set of small numbers.

A feature is a bit of a cell of a code (`simulator.worker.frame.Features`). Numbers are given in the order in which
features are first heard of.
"""

from __future__ import annotations

import numpy as np

from simulator.coverage.code_map import CodeMap
from simulator.errors import FrameError

BITS = 16


class FeatureNumbers:
    """The numbers of all codes, each known by an index of the caller's."""

    def __init__(self) -> None:
        self._numbers: dict[int, dict[int, int]] = {}
        self._cells: dict[int, set[int]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def of(self, index: int, code: CodeMap, features: bytes) -> list[int]:
        """The numbers of features as a frame carries them. Raises `FrameError` for bytes that are none of this code."""
        if len(features) % 4:
            raise FrameError(f"{code.contract}: {len(features)} bytes are no features")
        found = np.frombuffer(features, "<u4")
        if found.size and int(found.max()) >= BITS * code.cells:
            raise FrameError(f"{code.contract}: feature {int(found.max())} of {BITS * code.cells}")
        known = self._numbers.setdefault(index, {})
        numbers = []
        for feature in found.tolist():
            number = known.get(feature)
            if number is None:
                number = known[feature] = self._count
                self._cells.setdefault(index, set()).add(feature // BITS)
                self._count += 1
            numbers.append(number)
        return numbers

    def fresh(self, index: int, features: bytes) -> tuple[int, ...]:
        """The cells among features, in a frame's form, that nothing was heard of before, ascending. Where there are
        none, those of which only a depth or an outcome is new."""
        known, cells = self._numbers.get(index, {}), self._cells.get(index, set())
        found = np.frombuffer(features[: len(features) & ~3], "<u4").tolist()
        new = [feature // BITS for feature in found if feature not in known]
        return tuple(sorted({cell for cell in new if cell not in cells} or set(new)))

    def at(self, index: int, cell: int) -> tuple[int, ...]:
        """The numbers of all features heard of at one cell."""
        known = self._numbers.get(index, {})
        places = range(BITS * cell, BITS * (cell + 1))
        return tuple(known[place] for place in places if place in known)
