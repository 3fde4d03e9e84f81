"""A journal entry: a cell and the word that stood there."""

from __future__ import annotations

from simulator.evm.kernel.records import Cell, Record, To, Word256


class JournalEntry(Record, size=40):
    cell = To(Cell)
    old = Word256(align=8)
