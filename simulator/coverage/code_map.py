"""Map of the coverage cells of a code.

A code has one cell for each basic block, then two for each JUMPI (side not taken, side taken), in the order of their
program counters. Worker, tracker and reports agree on this order and exchange nothing but cell indexes and counts.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal

import msgspec

CodeKind = Literal["runtime", "creation"]


class CodeMap(msgspec.Struct, frozen=True, cache_hash=True):
    """`contract` is `path:Name`, or `0x<code hash>` for a code that matches no compiled contract. Block i covers the
    program counters `block_starts[i] <= pc < block_ends[i]`."""

    contract: str
    kind: CodeKind
    block_starts: tuple[int, ...]
    block_ends: tuple[int, ...]
    branches: tuple[int, ...]

    @property
    def cells(self) -> int:
        return len(self.block_starts) + 2 * len(self.branches)

    def block_at(self, pc: int) -> int | None:
        """Index, which is the cell too, of the block that covers this program counter; None for data."""
        index = bisect_right(self.block_starts, pc) - 1
        return index if index >= 0 and pc < self.block_ends[index] else None

    def branch_cells(self, index: int) -> tuple[int, int]:
        """Cells of the JUMPI with this index: (not taken, taken)."""
        first = len(self.block_starts) + 2 * index
        return first, first + 1
