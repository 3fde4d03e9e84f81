"""Calls that agree: one takes over arguments of another, in a row, as far as their types are the same."""

from __future__ import annotations

import msgspec

from simulator.abi.contract import Function
from simulator.abi.slots import ArgumentSlot, SlotKind, find_slots
from simulator.errors import AbiError
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.transaction import SELECTOR_SIZE, Transaction

WORD = 32


def with_arguments_of(engine: FuzzEngine, call: Transaction, other: Transaction) -> Transaction | None:
    """`call` with the longest row of words that `other` has too; the first such row. None where nothing changes."""
    own, given = _slots(engine, call), _slots(engine, other)
    best, start, source = 0, 0, 0
    for index in range(len(own)):
        for place in range(len(given)):
            length = _row(own[index:], given[place:])
            if length > best:
                best, start, source = length, index, place
    data = bytearray(call.data)
    for index in range(best):
        at, there = SELECTOR_SIZE + own[start + index].offset, SELECTOR_SIZE + given[source + index].offset
        data[at : at + WORD] = other.data[there : there + WORD]
    return msgspec.structs.replace(call, data=bytes(data)) if bytes(data) != call.data else None


def _row(own: list[ArgumentSlot], given: list[ArgumentSlot]) -> int:
    length = 0
    for one, other in zip(own, given, strict=False):
        if one.kind != other.kind or one.bits != other.bits or one.kind in (SlotKind.BYTES, SlotKind.STRING):
            break
        length += 1
    return length


def _slots(engine: FuzzEngine, call: Transaction) -> list[ArgumentSlot]:
    target = engine.target_of(call)
    return [] if target is None else _slots_of(target.function, call)


def _slots_of(function: Function, call: Transaction) -> list[ArgumentSlot]:
    try:
        return list(find_slots(function.inputs.members, call.data[SELECTOR_SIZE:]))[:WORD]
    except AbiError:
        return []
