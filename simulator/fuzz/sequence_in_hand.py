"""What a worker was executing, read from the memory that it shares with its supervisor.

The worker may have died in the middle of anything, so nothing that is read is believed: every address is checked, and
every number has a limit.
"""

from __future__ import annotations

import os
import struct

from simulator.fuzz import shared_header as header
from simulator.fuzz.native import phases
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.layout import transaction_record
from simulator.fuzz.records import unpack_transaction
from simulator.transaction import Sequence

MOST_TRANSACTIONS = 1 << 14
MOST_DATA = 1 << 20
_INT64 = struct.Struct("<q")


def sequence_in_hand(descriptor: int) -> Sequence:
    """The sequence that was being executed, up to the transaction that it had come to. Empty where there was none, the
    memory holds none that is whole, or part of it is memory of the worker alone."""
    try:
        return _SharedReader(descriptor).sequence()
    except (OSError, ValueError, OverflowError):
        return ()


class _SharedReader:
    """Reads by the worker's addresses. Raises `ValueError` for those outside, and for numbers that cannot be."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._base = 0
        self._base = self._integer(header.BASE)

    def sequence(self) -> Sequence:
        held = self._integer(self._base + header.HELD_COUNT)
        if held:
            return self._transactions(self._integer(self._base + header.HELD), held)
        context = self._integer(self._base + header.CONTEXT)
        if not context or self._integer(context + fuzz.PHASE) == phases.PHASE_NEXT_SEQUENCE:
            return ()
        begun = self._integer(context + fuzz.SEQUENCE_INDEX) + 1
        count = min(begun, self._integer(context + fuzz.SEQUENCE_COUNT))
        return self._transactions(self._integer(context + fuzz.SEQUENCE), count)

    def _transactions(self, table: int, count: int) -> Sequence:
        if not 0 <= count <= MOST_TRANSACTIONS:
            raise ValueError(f"{count} transactions")
        records = [self._integer(table + 8 * index) for index in range(count)]
        return tuple(unpack_transaction(record, self._record_part) for record in records)

    def _record_part(self, address: int, size: int) -> bytes:
        if not 0 <= size <= max(MOST_DATA, transaction_record.DATA):
            raise ValueError(f"{size} bytes of calldata")
        return self._read(address, size)

    def _integer(self, address: int) -> int:
        return int(_INT64.unpack(self._read(address, _INT64.size))[0])

    def _read(self, address: int, size: int) -> bytes:
        if address < self._base:
            raise ValueError(f"address {address:#x} is outside")
        data = os.pread(self._descriptor, size, address - self._base)
        if len(data) != size:
            raise ValueError(f"{size} bytes at {address:#x} are not all there")
        return data
