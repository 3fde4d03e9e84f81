"""Coverage as a set of features: a block at a call depth, an outcome at a block, a branch side.

The kernel sets bits in coverage cells; this module knows which of them the campaign has already accounted for. Bits of
a block cell: 48..55 call depths, 56..63 outcomes. A branch cell has one feature: its count is not zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from simulator.coverage.code_map import CodeMap
from simulator.evm.code_store import CoveredCode

Cells = npt.NDArray[np.uint64]
FLAGS = np.uint64(0xFFFF << 48)
COUNT = np.uint64((1 << 48) - 1)
_BRANCH_FEATURE = np.uint64(1 << 48)

CodeCells = Sequence[CoveredCode]
"""Per code id: its map, and the kernel's own cells (a view, which changes as code runs)."""


def _features(code: CodeMap, cells: Cells) -> Cells:
    blocks = len(code.block_starts)
    found = cells & FLAGS
    found[blocks:] = np.where(cells[blocks:] != 0, _BRANCH_FEATURE, np.uint64(0))
    return found


def numbered_features(code: CodeMap, cells: Cells) -> bytes:
    """The features that cells show, as little-endian uint32s `16 * cell + bit`, ascending; see
    `simulator.worker.frame.Features`."""
    hit = np.nonzero(cells)[0]
    is_side = hit >= len(code.block_starts)
    masks = np.where(is_side, np.uint64(1), cells[hit] >> np.uint64(48)).astype("<u2")
    rows, bits = np.nonzero(np.unpackbits(masks.view(np.uint8).reshape(-1, 2), axis=1, bitorder="little"))
    return (16 * hit[rows] + bits).astype("<u4").tobytes()


class FeatureSet:
    """The features that the campaign knows, per code id. `on_new` hears of the codes that gained some."""

    def __init__(self, codes: Callable[[], CodeCells]) -> None:
        self._codes = codes
        self._known: list[Cells] = []
        self._points = 0
        self.on_new: Callable[[Iterable[int]], None] = lambda _: None

    @property
    def points(self) -> int:
        """Number of known features."""
        return self._points

    @property
    def codes(self) -> int:
        """Number of codes with at least one known feature."""
        return sum(1 for known in self._known if known.any())

    def take_new(self) -> dict[int, Cells]:
        """Features set since the last call, per code id; they become known."""
        new: dict[int, Cells] = {}
        for index, covered in enumerate(self._codes()):
            code, cells = covered.map, covered.cells
            if index == len(self._known):
                self._known.append(np.zeros(code.cells, np.uint64))
            fresh = _features(code, cells) & ~self._known[index]
            if fresh.any():
                self._known[index] |= fresh
                self._points += int(np.bitwise_count(fresh).sum())
                new[index] = fresh
        if new:
            self.on_new(new)
        return new

    def forget(self, features: dict[int, Cells]) -> None:
        """Clear these features in the kernel's cells, so that an execution shows which of them it brings."""
        codes = self._codes()
        for index, wanted in features.items():
            code, cells = codes[index].map, codes[index].cells
            blocks = len(code.block_starts)
            cells[:blocks] &= ~wanted[:blocks]
            cells[blocks:][wanted[blocks:] != 0] = 0

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Leave no trace of the execution in the kernel's cells."""
        before = [covered.cells.copy() for covered in self._codes()]
        try:
            yield
        finally:
            for index, covered in enumerate(self._codes()):
                covered.cells[:] = before[index] if index < len(before) else 0

    def clear(self) -> None:
        """Set the kernel's cells to zero, within `untouched`."""
        for covered in self._codes():
            covered.cells[:] = 0

    def hit(self) -> Iterator[tuple[CodeMap, bytes]]:
        """The codes with cells that are not zero, and the indexes of these as little-endian uint32s."""
        for covered in self._codes():
            if (hit := np.nonzero(covered.cells)[0]).size:
                yield covered.map, hit.astype("<u4").tobytes()

    def present(self, features: dict[int, Cells]) -> dict[int, Cells]:
        """The part of `features` that the kernel's cells show."""
        codes = self._codes()
        return {index: _features(codes[index].map, codes[index].cells) & wanted for index, wanted in features.items()}

    def restore(self, features: dict[int, Cells]) -> None:
        """Set these features in the kernel's cells again."""
        codes = self._codes()
        for index, wanted in features.items():
            code, cells = codes[index].map, codes[index].cells
            blocks = len(code.block_starts)
            cells[:blocks] |= wanted[:blocks]
            cells[blocks:] = np.where(wanted[blocks:] != 0, np.maximum(cells[blocks:], np.uint64(1)), cells[blocks:])


def same_features(left: dict[int, Cells], right: dict[int, Cells]) -> bool:
    """Return whether two answers of `FeatureSet.present` to the same question agree."""
    return all(np.array_equal(cells, right[index]) for index, cells in left.items())


class CellDeltas:
    """Tells which cells' counts grew since the last look, in the form of the `Coverage` frame."""

    def __init__(self, codes: Callable[[], CodeCells]) -> None:
        self._codes = codes
        self._sent: list[Cells] = []

    def take(self) -> list[tuple[int, bytes, bytes]]:
        """(code id, uint32 indexes, uint64 cells) for each code that ran since the last call."""
        deltas: list[tuple[int, bytes, bytes]] = []
        for index, covered in enumerate(self._codes()):
            code, cells = covered.map, covered.cells
            if index == len(self._sent):
                self._sent.append(np.zeros(code.cells, np.uint64))
            changed = np.nonzero(cells != self._sent[index])[0]
            if changed.size:
                self._sent[index][changed] = cells[changed]
                deltas.append((index, changed.astype("<u4").tobytes(), cells[changed].astype("<u8").tobytes()))
        return deltas
