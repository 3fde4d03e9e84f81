"""A record of the comparison ring."""

from __future__ import annotations

from simulator.evm.kernel.records import Cell, Inline, Int64, Record, Word256


class Comparison(Record):
    left = Word256()
    right = Word256()
    code_id = Int64()
    pc = Int64()
    # Cells of these fields.
    left_cell = Inline(Cell, at=left)
    right_cell = Inline(Cell, at=right)
