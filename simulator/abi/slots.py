"""Mutable places of an encoding, for the native mutator: what may be overwritten in place and stays well-formed.

Offset words and length words are no slots: changing one would change what the others mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import assert_never

from simulator.abi.codec import Reader, encode
from simulator.abi.types import (
    WORD,
    AbiType,
    Address,
    Array,
    Bool,
    Bytes,
    FixedBytes,
    FunctionType,
    Int,
    String,
    Tuple,
    UInt,
    Value,
)


class SlotKind(IntEnum):
    """Numbers are stable: native code switches on them. `BYTES` and `STRING` are runs of bytes, the others words."""

    UINT = 0
    INT = 1
    BOOL = 2
    ADDRESS = 3
    FIXED_BYTES = 4
    FUNCTION = 5
    BYTES = 6
    STRING = 7


@dataclass(frozen=True)
class ArgumentSlot:
    """`offset` counts from the start of the arguments, after the selector.

    A word has `length` 32, and `bits` says how much of it is used: the low `bits` of `UINT`, `INT` (sign-extended),
    `BOOL` (1) and `ADDRESS` (160), the high `bits` of `FIXED_BYTES` and `FUNCTION` (192). A run has `bits` 8 and
    `length` bytes of content, 0 included; its length word is at `offset - 32`.
    """

    offset: int
    kind: SlotKind
    bits: int
    length: int


def encode_with_slots(types: Sequence[AbiType], values: Sequence[Value]) -> tuple[bytes, tuple[ArgumentSlot, ...]]:
    """`encode`, and the slots of its result in the order of the leaves. Raises `AbiError` as `encode` does."""
    data = encode(types, values)
    return data, find_slots(types, data)


def find_slots(types: Sequence[AbiType], data: bytes) -> tuple[ArgumentSlot, ...]:
    """The slots of encoded arguments, in the order of the leaves. Padding is not examined.

    Raises `AbiError` when an offset or length leads outside the data or `decode`'s limits are reached. Data whose
    offsets share a target yields the same slot more than once.
    """
    slots: list[ArgumentSlot] = []
    _visit_members(types, 0, Reader(data), slots)
    return tuple(slots)


def _visit_members(types: Sequence[AbiType], base: int, reader: Reader, slots: list[ArgumentSlot]) -> None:
    head = base
    for member in types:
        _visit(member, reader.place(member, head, base), reader, slots)
        head += member.head_size


def _visit(abi_type: AbiType, position: int, reader: Reader, slots: list[ArgumentSlot]) -> None:
    match abi_type:
        case UInt(bits):
            slots.append(_word(reader, position, SlotKind.UINT, bits))
        case Int(bits):
            slots.append(_word(reader, position, SlotKind.INT, bits))
        case Bool():
            slots.append(_word(reader, position, SlotKind.BOOL, 1))
        case Address():
            slots.append(_word(reader, position, SlotKind.ADDRESS, 160))
        case FixedBytes(size):
            slots.append(_word(reader, position, SlotKind.FIXED_BYTES, 8 * size))
        case FunctionType(size=size):
            slots.append(_word(reader, position, SlotKind.FUNCTION, 8 * size))
        case Bytes():
            slots.append(ArgumentSlot(position + WORD, SlotKind.BYTES, 8, len(reader.content(position))))
        case String():
            slots.append(ArgumentSlot(position + WORD, SlotKind.STRING, 8, len(reader.content(position))))
        case Array(element, length):
            if length is None:
                length = reader.count(position, element)
                position += WORD
            reader.spend(length)
            _visit_members([element] * length, position, reader, slots)
        case Tuple(members):
            reader.spend(len(members))
            _visit_members(members, position, reader, slots)
        case _:
            assert_never(abi_type)


def _word(reader: Reader, position: int, kind: SlotKind, bits: int) -> ArgumentSlot:
    reader.word(position)
    return ArgumentSlot(position, kind, bits, WORD)
