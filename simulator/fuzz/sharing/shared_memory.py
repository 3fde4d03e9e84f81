"""Memory of a worker that its supervisor can read as well, also when the worker is dead: what it executed last.

The supervisor makes the memory and hands it over as an open file; the worker takes its arenas from it, front to back.
Normal work pays nothing for that: the loop writes where it would write anyhow.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from simulator.evm.host_memory import view
from simulator.evm.kernel.records import References
from simulator.fuzz.arena import WORD_BYTES, ArenaMemory, MemoryBlock
from simulator.fuzz.corpus.native_corpus import write_table
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.records import pack_transaction
from simulator.fuzz.sharing.shared_header import SharedHeader
from simulator.transaction import Sequence

SHARED_SIZE = 256 << 20
"""Bytes of address space; what is not touched takes no memory. Most of it is for the corpus."""
HELD_SIZE = 1 << 20
DESCRIPTOR_VARIABLE = "MONOTREME_SHARED_MEMORY"
"""Environment variable with the number of the open file."""


def make_shared_memory() -> int | None:
    """A descriptor of zeroed memory for one worker, None where the system gives none; the caller closes it."""
    try:
        descriptor = os.memfd_create("monotreme-worker", os.MFD_CLOEXEC)
    except (OSError, AttributeError):
        return None
    try:
        os.ftruncate(descriptor, SHARED_SIZE)
    except OSError:  # a limit on the size of files counts for memory, too
        os.close(descriptor)
        return None
    return descriptor


class SharedMemory(ArenaMemory):
    """Arenas in shared memory, and in memory of this process alone once that is full. Raises `OSError` and `ValueError`
    for what is no memory of `make_shared_memory`."""

    def __init__(self, descriptor: int) -> None:
        self._map = mmap.mmap(descriptor, SHARED_SIZE)
        self._anchor = ctypes.c_char.from_buffer(self._map)
        self._base = ctypes.addressof(self._anchor)
        self._used = 0
        self._header = view(SharedHeader, self.arena(SharedHeader.SIZE).address)
        self._header.base = self._base
        self._held = self.arena(HELD_SIZE)

    def arena(self, size: int) -> MemoryBlock:
        taken = -(-size // WORD_BYTES) * WORD_BYTES
        if self._used + taken > SHARED_SIZE:
            return MemoryBlock(size)
        place = self._base + self._used
        self._used += taken
        return MemoryBlock(size, place, self)

    def introduce(self, context: Fuzz) -> None:
        """Here is the fuzz context, which tells what the native loop executes."""
        self._header.context = context

    @contextmanager
    def holding(self, sequence: Sequence) -> Iterator[None]:
        """The sequence is executed within the block, though not by the native loop."""
        records = [pack_transaction(transaction, 0, 0) for transaction in sequence]
        if sum(map(len, records)) + 8 * len(records) > HELD_SIZE:
            yield
            return
        write_table(self._held, records)
        self._header.held = view(References[TransactionRecord], self._held.address)
        self._header.held_count = len(records)
        try:
            yield
        finally:
            self._header.held_count = 0


def inherited_memory() -> SharedMemory | None:
    """The memory that this process was started with, None where there is none."""
    number = os.environ.pop(DESCRIPTOR_VARIABLE, "")
    if not number.isdecimal():
        return None
    with suppress(OSError, ValueError):
        memory = SharedMemory(int(number))
        os.set_inheritable(int(number), False)
        return memory
    return None
