"""Memory for native records, owned by Python: zeroed, never moved, alive as long as its owner."""

from __future__ import annotations

import ctypes
import struct

import numpy as np

WORD_BYTES = 32


class MemoryBlock:
    """A fixed block of memory. Untouched pages take no resident memory. With `place`, the block is `owner`'s memory at
    that address."""

    def __init__(self, size: int, place: int | None = None, owner: object = None) -> None:
        self.size = size
        self._owner = owner
        if place is not None:
            self.address = place
            return
        block = np.zeros(size + WORD_BYTES, np.uint8)
        self._owner = block
        self.address = -(-int(block.ctypes.data) // WORD_BYTES) * WORD_BYTES

    def write(self, offset: int, data: bytes) -> int:
        """Copy `data` to `offset`; returns its address. Raises ValueError past the end."""
        if offset < 0 or offset + len(data) > self.size:
            raise ValueError(f"{len(data)} bytes at {offset} do not fit an arena of {self.size}")
        ctypes.memmove(self.address + offset, data, len(data))
        return self.address + offset

    def read(self, offset: int, size: int) -> bytes:
        if offset < 0 or offset + size > self.size:
            raise ValueError(f"{size} bytes at {offset} are outside an arena of {self.size}")
        return ctypes.string_at(self.address + offset, size)


class ArenaMemory:
    """Memory of a fuzz loop's arenas: memory of this process alone."""

    def arena(self, size: int) -> MemoryBlock:
        """A block of `size` bytes."""
        return MemoryBlock(size)


def words(values: list[int]) -> bytes:
    """A table of words as native code reads it."""
    return b"".join(value.to_bytes(WORD_BYTES, "little") for value in values)


def integers(values: list[int]) -> bytes:
    """A table of signed 64-bit integers or addresses."""
    return struct.pack(f"<{len(values)}q", *values)
