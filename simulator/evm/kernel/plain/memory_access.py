"""Loads, stores and copies at plain addresses, in Python. Every address is checked against the known regions.

The host registers its memory with `register`; an access outside of it raises `MemoryAccessError`, so that running the
kernel uncompiled doubles as its address checker.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right, insort

from simulator.evm.kernel.plain.words import Word


class MemoryAccessError(Exception):
    """The kernel touched an address that belongs to no region of its machine: a bug of the kernel."""


_regions: list[tuple[int, int]] = []


def register(start: int, size: int) -> None:
    """Make a region of memory known."""
    insort(_regions, (start, start + size))


def unregister(start: int) -> None:
    """Forget the region that starts there."""
    index = bisect_right(_regions, (start, 0))
    if index < len(_regions) and _regions[index][0] == start:
        del _regions[index]


def _check(address: int, size: int) -> None:
    index = bisect_right(_regions, (address, 1 << 64)) - 1
    if size and (index < 0 or address + size > _regions[index][1]):
        raise MemoryAccessError(f"{size} bytes at {address:#x} are outside of the machine's memory")


def _read(address: int, size: int) -> bytes:
    _check(address, size)
    return ctypes.string_at(address, size)


def _write(address: int, data: bytes) -> None:
    _check(address, len(data))
    ctypes.memmove(address, data, len(data))


def load_word(address: int) -> Word:
    """A word in the machine's own order, least significant byte first."""
    return Word(int.from_bytes(_read(address, 32), "little"))


def store_word(address: int, value: Word) -> None:
    _write(address, value.to_bytes(32, "little"))


def load_word_be(address: int) -> Word:
    """A word as the EVM's memory and calldata hold it, most significant byte first."""
    return Word(int.from_bytes(_read(address, 32), "big"))


def store_word_be(address: int, value: Word) -> None:
    _write(address, value.to_bytes(32, "big"))


def load_i64(address: int) -> int:
    return int.from_bytes(_read(address, 8), "little", signed=True)


def store_i64(address: int, value: int) -> None:
    _write(address, (value & ((1 << 64) - 1)).to_bytes(8, "little"))


def load_i32(address: int) -> int:
    return int.from_bytes(_read(address, 4), "little", signed=True)


def store_i32(address: int, value: int) -> None:
    _write(address, (value & 0xFFFFFFFF).to_bytes(4, "little"))


def load_u8(address: int) -> int:
    return _read(address, 1)[0]


def store_u8(address: int, value: int) -> None:
    _write(address, bytes((value & 255,)))


def copy_memory(target: int, source: int, size: int) -> None:
    """Copy, also between regions that overlap."""
    _write(target, _read(source, size))


def zero_memory(target: int, size: int) -> None:
    _write(target, bytes(size))


def impossible() -> None:
    """Mark code that no execution reaches."""
    raise AssertionError("the decoder wrote an instruction without a handler")
