"""An entry of the storage map: one slot of one account, or of its transient storage."""

from __future__ import annotations

from simulator.evm.kernel.records import Cell, Inline, Int64, Record, Word256


class Slot(Record):
    key = Word256()
    value = Word256()
    original = Word256()  # value at the start of transaction original_epoch
    owner = Int64(align=32)  # storage id; its negative for transient storage; 0 in a free entry
    warm_epoch = Int64(at=owner, step=8)  # transient: epoch in which value holds
    original_epoch = Int64(at=owner, step=16)
    readers = Int64(at=owner, step=24)  # who read the slot, see reads.py
    forward = Int64(at=key)  # in a map that was moved from: address of the entry in the new one, or 0
    # Cells of these fields.
    value_cell = Inline(Cell, at=value)
    transaction_cell = Inline(Cell, at=owner)
