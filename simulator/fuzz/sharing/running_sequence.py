"""Sequence that a worker was executing, read from the memory that it shares with its supervisor.

The worker may have died in the middle of anything, so nothing that is read is believed: every address is checked, and
every number has a limit.
"""

from __future__ import annotations

import os

from simulator.evm.host_memory import as_word
from simulator.evm.kernel.records import References
from simulator.evm.kernel.words import Word
from simulator.fuzz.native import phases
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.records import unpack_transaction
from simulator.fuzz.sharing.shared_header import SharedHeader
from simulator.transaction import Sequence

MAX_TRANSACTIONS = 1 << 14
MAX_DATA = 1 << 20


def running_sequence(descriptor: int) -> Sequence:
    """The sequence that was being executed, up to the transaction that it had come to. Empty where there was none, the
    memory holds none that is whole, or part of it is memory of the worker alone."""
    try:
        return _SharedReader(descriptor).sequence()
    except (OSError, ValueError, OverflowError):
        return ()


class _WorkerMemory:
    """The memory of the worker, by its addresses, for reading. Raises `ValueError` for those outside."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._base = 0
        self._base = self.header().base

    def header(self) -> SharedHeader:
        return SharedHeader(self._base, self)

    def read(self, address: int, size: int) -> bytes:
        if address < self._base:
            raise ValueError(f"address {address:#x} is outside")
        data = os.pread(self._descriptor, size, address - self._base)
        if len(data) != size:
            raise ValueError(f"{size} bytes at {address:#x} are not all there")
        return data

    def load_i64(self, address: int, /) -> int:
        return int.from_bytes(self.read(address, 8), "little", signed=True)

    def load_i32(self, address: int, /) -> int:
        return int.from_bytes(self.read(address, 4), "little", signed=True)

    def load_u8(self, address: int, /) -> int:
        return self.read(address, 1)[0]

    def load_word(self, address: int, /) -> Word:
        return as_word(int.from_bytes(self.read(address, 32), "little"))

    def _refuse(self, address: int, value: int, /) -> None:
        raise TypeError("the memory of a worker is only read")

    store_i64 = store_i32 = store_u8 = store_word = _refuse


class _SharedReader:
    """Reads the worker's records. Raises `ValueError` for numbers that cannot be."""

    def __init__(self, descriptor: int) -> None:
        self._memory = _WorkerMemory(descriptor)

    def sequence(self) -> Sequence:
        header = self._memory.header()
        if header.held_count:
            return self._transactions(header.held, header.held_count)
        fuzz = header.context
        if not fuzz or fuzz.phase == phases.PHASE_NEXT_SEQUENCE:
            return ()
        return self._transactions(fuzz.sequence, min(fuzz.sequence_index + 1, fuzz.sequence_count))

    def _transactions(self, table: References[TransactionRecord], count: int) -> Sequence:
        if not 0 <= count <= MAX_TRANSACTIONS:
            raise ValueError(f"{count} transactions")
        return tuple(unpack_transaction(table[index], self._calldata) for index in range(count))

    def _calldata(self, address: int, size: int) -> bytes:
        if not 0 <= size <= MAX_DATA:
            raise ValueError(f"{size} bytes of calldata")
        return self._memory.read(address, size)
