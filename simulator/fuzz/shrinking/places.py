"""The places of a sequence that hold a number: arguments, elements of arrays and structs, values and delays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from simulator.abi.types import AbiType, Array, Bool, Bytes, FixedBytes, Int, Tuple, UInt
from simulator.errors import AbiError
from simulator.fuzz.shrinking.calls import Calls, element_type, with_call, with_values
from simulator.transaction import SELECTOR_SIZE, WORD_MAX, Sequence, Transaction, wei_bytes

MAX_DELAY = (1 << 63) - 1
MAX_BYTES = 32
"""Bytes of a byte string up to which each of them is a place."""
BYTE = UInt(8)


@dataclass(frozen=True)
class NumberPlace:
    """One number. `path` leads to it through the arguments of call `index`; `kind` tells what it counts."""

    index: int
    kind: Literal["argument", "value", "seconds", "blocks"]
    path: tuple[int, ...] = ()
    type: AbiType | None = None

    @property
    def unit(self) -> str:
        """Numbers of one unit may make up for each other."""
        return "amount" if self.kind in ("argument", "value") else self.kind

    @property
    def largest(self) -> int:
        """The largest number that the place holds."""
        match self.kind, self.type:
            case (("seconds" | "blocks"), _):
                return MAX_DELAY
            case "argument", UInt(bits=bits):
                return (1 << bits) - 1
            case "argument", Int(bits=bits):
                return (1 << (bits - 1)) - 1
            case "argument", Bool():
                return 1
            case "argument", FixedBytes(size=size):
                return (1 << (8 * size)) - 1
        return WORD_MAX


class Places:
    """Finds, reads and writes the places of sequences."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def of(self, sequence: Sequence) -> list[NumberPlace]:
        """Every place, in the order in which numbers become small."""
        return [place for index, call in enumerate(sequence) for place in self._of_call(index, call)]

    def _of_call(self, index: int, call: Transaction) -> Iterator[NumberPlace]:
        if call.wei:
            yield NumberPlace(index, "value")
        if call.seconds:
            yield NumberPlace(index, "seconds")
        if call.blocks:
            yield NumberPlace(index, "blocks")
        decoded = self._calls.decode(call)
        if decoded is not None:
            yield from _numbers(index, Tuple(decoded[0]), decoded[1], ())

    def alike(self, sequence: Sequence) -> list[list[NumberPlace]]:
        """The places that hold the same argument of the same function, or a value or delay before it."""
        groups: dict[tuple[object, ...], list[NumberPlace]] = {}
        for place in self.of(sequence):
            call = sequence[place.index]
            key = (call.to, call.data[:SELECTOR_SIZE], place.kind, place.path)
            groups.setdefault(key, []).append(place)
        return list(groups.values())

    def get(self, sequence: Sequence, place: NumberPlace) -> int:
        """The number at a place."""
        call = sequence[place.index]
        match place.kind:
            case "value":
                return call.wei
            case "seconds":
                return call.seconds
            case "blocks":
                return call.blocks
        decoded = self._calls.decode(call)
        assert decoded is not None
        value: Any = decoded[1]
        for position in place.path:
            value = value[position]
        return int.from_bytes(value, "big") if isinstance(value, bytes) else int(value)

    def put(self, sequence: Sequence | None, place: NumberPlace, number: int) -> Sequence | None:
        """The sequence with another number there, None when that is out of range or there was no sequence."""
        if sequence is None:
            return None
        call = sequence[place.index]
        if place.kind == "argument":
            changed = self._with_argument(call, place, number)
            return None if changed is None else with_call(sequence, place.index, changed)
        if not 0 <= number <= place.largest:
            return None
        if place.kind == "value":
            return with_call(sequence, place.index, msgspec.structs.replace(call, value=wei_bytes(number)))
        return with_call(sequence, place.index, msgspec.structs.replace(call, **{place.kind: number}))

    def _with_argument(self, call: Transaction, place: NumberPlace, number: int) -> Transaction | None:
        decoded = self._calls.decode(call)
        if decoded is None:
            return None
        try:
            return with_values(call, decoded[0], _with_item(Tuple(decoded[0]), decoded[1], place.path, number))
        except (AbiError, OverflowError):
            return None


def _numbers(index: int, abi_type: AbiType, value: Any, path: tuple[int, ...]) -> Iterator[NumberPlace]:
    match abi_type:
        case UInt() | Int() | Bool() | FixedBytes():
            yield NumberPlace(index, "argument", path, abi_type)
        case Bytes() if len(value) <= MAX_BYTES:
            for position in range(len(value)):
                yield NumberPlace(index, "argument", (*path, position), BYTE)
        case Array() | Tuple():
            for position, item in enumerate(value):
                yield from _numbers(index, element_type(abi_type, position), item, (*path, position))


def _with_item(abi_type: AbiType, value: Any, path: tuple[int, ...], number: int) -> Any:
    if not path:
        return _as_value(abi_type, number)
    first, *rest = path
    if isinstance(abi_type, Bytes):
        return value[:first] + number.to_bytes(1, "big") + value[first + 1 :]
    item = _with_item(element_type(abi_type, first), value[first], tuple(rest), number)
    return [*value[:first], item, *value[first + 1 :]]


def _as_value(abi_type: AbiType, number: int) -> Any:
    match abi_type:
        case FixedBytes(size=size):
            return number.to_bytes(size, "big")
        case Bool() if 0 <= number <= 1:
            return bool(number)
    return number
