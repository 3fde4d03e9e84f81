"""The machine's memory as the host reads and writes it: by address, unchecked, with words as plain ints.

`view(Account, address)` is a record in it, and so is everything that its fields lead to.
"""

from __future__ import annotations

import ctypes
from typing import TypeVar, cast

from simulator.evm.kernel.plain.records import Place
from simulator.evm.kernel.plain.words import Word

PlaceT = TypeVar("PlaceT", bound=Place)

_int64 = ctypes.c_int64.from_address
_read = ctypes.string_at
_write = ctypes.memmove


class HostMemory:
    """Loads and stores without the checks of the plain twin. An address that is wrong ends the process."""

    def load_i64(self, address: int, /) -> int:
        value: int = _int64(address).value
        return value

    def store_i64(self, address: int, value: int, /) -> None:
        _int64(address).value = value

    def load_i32(self, address: int, /) -> int:
        return int.from_bytes(_read(address, 4), "little", signed=True)

    def store_i32(self, address: int, value: int, /) -> None:
        _write(address, (value & 0xFFFFFFFF).to_bytes(4, "little"), 4)

    def load_u8(self, address: int, /) -> int:
        return _read(address, 1)[0]

    def store_u8(self, address: int, value: int, /) -> None:
        _write(address, bytes((value & 255,)), 1)

    def load_word(self, address: int, /) -> Word:
        return as_word(int.from_bytes(_read(address, 32), "little"))

    def store_word(self, address: int, value: Word, /) -> None:
        _write(address, value.to_bytes(32, "little"), 32)


HOST_MEMORY = HostMemory()


def as_word(value: int) -> Word:
    """An int for a field that holds a word. It stays an int, whose arithmetic does not wrap around; storing one outside
    of 0..2**256-1 raises OverflowError."""
    return cast("Word", value)


def view(kind: type[PlaceT], address: int) -> PlaceT:
    """The record or array at an address."""
    return kind(address, HOST_MEMORY)
