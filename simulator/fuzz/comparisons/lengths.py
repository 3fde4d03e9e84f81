"""The length of an argument as a number that the caller chooses: strings, byte strings and arrays grow or are cut."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from simulator.abi.contract import Function
from simulator.abi.types import Array, Bytes, String, Value
from simulator.errors import AbiError
from simulator.transaction import Transaction

MAX_LENGTH = 256
FILLING = b"a"


@dataclass(frozen=True)
class LengthPlace:
    """The length of one argument of a call of `function`. What is added repeats the last element."""

    function: Function
    index: int
    step: int = 1

    def get(self, transaction: Transaction) -> int:
        return len(self._values(transaction)[self.index])  # type: ignore[arg-type]

    def put(self, transaction: Transaction, number: int) -> Transaction | None:
        """The call with another length there, None when that is out of range."""
        values = list(self._values(transaction))
        if not 0 <= number <= MAX_LENGTH:
            return None
        resized = _resized(values[self.index], number)
        if resized is None:
            return None
        values[self.index] = resized
        try:
            return msgspec.structs.replace(transaction, data=self.function.encode_call(values))
        except AbiError:
            return None

    def _values(self, transaction: Transaction) -> tuple[Value, ...]:
        return self.function.decode_call(transaction.data, strict=False)


def _resized(value: Value, length: int) -> Value | None:
    """None for an array without an element that could be repeated."""
    if isinstance(value, bytes):
        return _resized_bytes(value, length)
    if isinstance(value, str):
        return _resized_bytes(value.encode(errors="surrogateescape"), length).decode(errors="surrogateescape")
    if isinstance(value, list | tuple) and (value or not length):
        return [*value[:length], *[value[-1]] * (length - len(value))] if value else []
    return None


def _resized_bytes(value: bytes, length: int) -> bytes:
    return value[:length] + (value[-1:] or FILLING) * (length - len(value))


def lengths_of(transaction: Transaction, function: Function) -> list[LengthPlace]:
    """The places of a call to `function`; none where its calldata is not well-formed."""
    found = [
        LengthPlace(function, index)
        for index, member in enumerate(function.inputs.members)
        if isinstance(member, Bytes | String) or (isinstance(member, Array) and member.length is None)
    ]
    try:
        return [place for place in found if place.get(transaction) >= 0]
    except AbiError:
        return []
