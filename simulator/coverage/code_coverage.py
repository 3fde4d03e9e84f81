"""Coverage of one code in a campaign: hit counts and outcomes per coverage cell.

The kernel keeps one little-endian u64 a cell: bits 0..47 count hits, bits 48..55 tell the call depths (the last bit
means 7 and deeper), bits 56..63 tell how frames that ended in the block came to their end, in the order of
`BlockOutcome`. Cells of JUMPI sides carry a count only.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntFlag

import msgspec
import numpy as np

from simulator.coverage.code_map import CodeMap

COUNT_MASK = (1 << 48) - 1
_OUTCOME_SHIFT = 56
_ALL_OUTCOMES = 31


class BlockOutcome(IntFlag):
    """Ending of a frame in a block; several may have been seen."""

    SUCCESS = 1
    REVERT = 2
    OUT_OF_GAS = 4
    INVALID = 8
    OTHER = 16


class CodeCoverage(msgspec.Struct, frozen=True):
    """Counts (and outcome masks, or none when they were not recorded) of all cells of `code`, in the map's order."""

    code: CodeMap
    counts: tuple[int, ...]
    outcomes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.counts) != self.code.cells or len(self.outcomes) not in (0, self.code.cells):
            raise ValueError(f"{self.code.contract}: expected {self.code.cells} cells, got {len(self.counts)} counts")

    @classmethod
    def from_cells(cls, code: CodeMap, cells: Iterable[int]) -> CodeCoverage:
        """From packed kernel cells (unsigned 64 bits each). Raises `ValueError` when their number is not the map's."""
        values = np.fromiter(cells, np.uint64)
        counts = values & np.uint64(COUNT_MASK)
        outcomes = (values >> np.uint64(_OUTCOME_SHIFT)) & np.uint64(_ALL_OUTCOMES)
        return cls(code, tuple(counts.tolist()), tuple(outcomes.tolist()))

    def merge(self, other: CodeCoverage) -> CodeCoverage:
        """The sum of both counts and the union of both outcomes. Raises `ValueError` for different codes."""
        if self.code != other.code:
            raise ValueError(f"cannot merge coverage of {self.code.contract} and {other.code.contract}")
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        if not self.outcomes or not other.outcomes:
            return CodeCoverage(self.code, counts, self.outcomes or other.outcomes)
        outcomes = tuple(a | b for a, b in zip(self.outcomes, other.outcomes, strict=True))
        return CodeCoverage(self.code, counts, outcomes)
