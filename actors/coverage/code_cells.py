"""The coverage cells of one code, over all workers and all their processes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from simulator.coverage.code_coverage import COUNT_MASK
from simulator.coverage.code_map import CodeMap
from simulator.errors import FrameError
from simulator.worker.reports import Coverage

Cells: TypeAlias = npt.NDArray[np.uint64]
_COUNT = np.uint64(COUNT_MASK)
_FLAGS = ~_COUNT
_DEPTHS, _OUTCOMES, _HIT = np.uint32(0x1FE), np.uint32(0x1FE00), np.uint32(1)


class CodeCells:
    """`index` counts the codes of a campaign; `base` holds what former processes counted; `points` counts what any
    process has shown. `_seen` has the masks: bit 0 for "was hit", bits 1..8 for call depths, 9..16 for outcomes."""

    def __init__(self, index: int, code: CodeMap) -> None:
        self.index = index
        self.map = code
        self.base: Cells = np.zeros(code.cells, np.uint64)
        self.points = 0
        self._seen = np.zeros(code.cells, np.uint32)

    def see(self, cells: npt.NDArray[np.uint32], totals: Cells) -> None:
        """Note what these cells show."""
        masks = ((totals >> np.uint64(47)) & np.uint64(0x1FFFE)).astype(np.uint32) | (totals != 0)
        before = self._seen[cells]
        after = before | masks
        changed = after != before
        if changed.any():
            before, after = before[changed], after[changed]
            self._seen[cells[changed]] = after
            self.points += int(_points(after).sum() - _points(before).sum())


def read_frame(frame: Coverage, size: int, contract: str) -> tuple[npt.NDArray[np.uint32], Cells]:
    """Indexes and values of a frame for a code of `size` cells. Raises `FrameError` when it does not fit; an index that
    comes twice does not either."""
    if len(frame.cells) % 4 or len(frame.counts) != 2 * len(frame.cells):
        raise FrameError(f"coverage frame with {len(frame.cells)} bytes of cells and {len(frame.counts)} of counts")
    cells = np.frombuffer(frame.cells, "<u4")
    if cells.size and int(cells.max()) >= size:
        raise FrameError(f"{contract}: cell {int(cells.max())} of {size}")
    if (cells[1:] <= cells[:-1]).any():
        raise FrameError(f"{contract}: the cells of a frame ascend")
    return cells, np.frombuffer(frame.counts, "<u8")


def merge(union: Cells, totals: Cells) -> Cells:
    """Cells of the kernel united: counts add up, as far as they fit, masks above them unite."""
    counts = np.minimum((union & _COUNT) + (totals & _COUNT), _COUNT)
    merged: Cells = counts | ((union | totals) & _FLAGS)
    return merged


def _points(masks: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """A hit cell is at least one point; a block is one for each depth and each outcome."""
    depths = np.bitwise_count(masks & _DEPTHS).astype(np.int64)
    outcomes = np.bitwise_count(masks & _OUTCOMES).astype(np.int64)
    hit = (masks & _HIT).astype(np.int64)
    points: npt.NDArray[np.int64] = np.where(hit, np.maximum(depths, 1), 0) + outcomes
    return points
