"""The machine's memory as the host reads and writes it: by address, unchecked, with words as plain ints.

`view(Account, address)` is a record in it, and so is everything that its fields lead to.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TypeVar, cast

from simulator.evm.kernel.plain.records import Flag, Int64, Place, Record, To, Word256
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


_FORMATS = {Int64: "Q", Flag: "Q", To: "Q", Word256: "32s"}


def packing(kind: type[Record], names: tuple[str, ...]) -> struct.Struct:
    """Return a function that packs the fields of these names, all at once, to the bytes that a record begins with.

    `names` are to be all fields of one value each, in the order in which they stand; anything else is a ValueError.
    Numbers are unsigned, words their 32 bytes, the least significant first.
    """
    fields = [each for each in kind.fields() if type(each) in _FORMATS]
    if tuple(each.name for each in sorted(fields, key=lambda each: each.offset)) != names:
        raise ValueError(f"{kind.__name__} does not consist of {', '.join(names)}, in this order")
    text, end = "<", 0
    for each in fields:
        text += "x" * (each.offset - end) + _FORMATS[type(each)]
        end = each.offset + each.bytes
    return struct.Struct(text)
