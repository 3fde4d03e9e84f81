"""A slot record: one mutable place of an encoded call."""

from __future__ import annotations

from simulator.evm.kernel.records import Int64, Record


class SlotRecord(Record):
    offset = Int64()  # from the start of the calldata
    kind = Int64()  # see the KIND_ constants
    width = Int64()  # bits of a number, bytes of a byte string


KIND_UINT = 0
KIND_INT = 1
KIND_BOOL = 2
KIND_ADDRESS = 3
KIND_FIXED_BYTES = 4
KIND_BYTES = 5
KIND_FUNCTION = 6
