"""Calls by their arguments: decoding once, encoding again, and the order of simplicity of sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from simulator.abi.codec import encode
from simulator.abi.types import AbiType, Address, Array, Tuple
from simulator.fuzz.shrinking.values import byte_size, text_key
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction, address_int

Arguments = tuple[tuple[AbiType, ...], tuple[Any, ...]]
DecodeArguments = Callable[[Transaction], Arguments | None]
Key = tuple[Any, ...]
MAX_EQUAL = 3


class Calls:
    """Reads and writes the arguments of calls. `senders` and `addresses` are in order of preference.

    `decode` gives a call's argument types and values, or None for calldata without an ABI.
    """

    def __init__(self, decode: DecodeArguments, senders: tuple[bytes, ...], addresses: tuple[int, ...]) -> None:
        self._decode = decode
        self._senders = {sender: place for place, sender in enumerate(senders)}
        self.addresses = tuple(dict.fromkeys((*map(address_int, senders), *addresses)))
        self._places = {address: place + 1 for place, address in enumerate(self.addresses)}
        self._decoded: dict[tuple[bytes, bytes], Arguments | None] = {}
        self._keys: dict[Transaction, tuple[bool, tuple[int, ...]]] = {}

    def decode(self, call: Transaction) -> Arguments | None:
        """Types and values, None for calldata without an ABI."""
        which = (call.to, call.data)
        if which not in self._decoded:
            self._decoded[which] = self._decode(call)
        return self._decoded[which]

    def is_encoding(self, call: Transaction) -> bool:
        """Return whether the calldata is what its arguments encode to, or has none."""
        decoded = self.decode(call)
        return decoded is None or call.data[SELECTOR_SIZE:] == encode(*decoded)

    def key(self, sequence: Sequence) -> Key:
        """Simpler sequences have smaller keys: fewer calls, then readable and shorter calldata, then smaller values
        from the first call on."""
        keys = [self._key(call) for call in sequence]
        size = sum(len(call.data) for call in sequence)
        return len(sequence), sum(not readable for readable, _ in keys), size, [key for _, key in keys]

    def _key(self, call: Transaction) -> tuple[bool, tuple[int, ...]]:
        if call not in self._keys:
            decoded = self.decode(call)
            values: list[int] = [
                self._senders.get(call.sender, len(self._senders)),
                call.wei,
                call.seconds,
                call.blocks,
            ]
            if decoded is None:
                values.append(int.from_bytes(call.data, "big"))
            else:
                self._add_key(Tuple(decoded[0]), decoded[1], values)
            self._keys[call] = self.is_encoding(call), tuple(values)
        return self._keys[call]

    def _add_key(self, abi_type: AbiType, value: Any, key: list[int]) -> None:
        match value:
            case bool():
                key.append(int(value))
            case int():
                key.append(self._address_key(value) if isinstance(abi_type, Address) else 2 * abs(value) + (value < 0))
            case bytes():
                key += [len(value), int.from_bytes(value, "big")]
            case str():
                key += [byte_size(value), *text_key(value)]
            case _:
                key.append(len(value))
                for position, item in enumerate(value):
                    self._add_key(element_type(abi_type, position), item, key)

    def _address_key(self, address: int) -> int:
        return self._places.get(address, len(self._places) + 1 + address) if address else 0


def element_type(abi_type: AbiType, position: int) -> AbiType:
    """The type of one element of an array or struct."""
    assert isinstance(abi_type, Array | Tuple)
    return abi_type.element if isinstance(abi_type, Array) else abi_type.members[position]


def telling(sequence: Sequence) -> list[int]:
    """The places of the calls that expensive passes look at: all, but of more than `MAX_EQUAL` equal ones only the
    first and the last, as those between do what these do."""
    places: dict[Transaction, list[int]] = {}
    for index, call in enumerate(sequence):
        places.setdefault(call, []).append(index)
    few = ([*all_of[: MAX_EQUAL - 1], all_of[-1]] if len(all_of) > MAX_EQUAL else all_of for all_of in places.values())
    return sorted(index for chosen in few for index in chosen)


def with_values(call: Transaction, types: tuple[AbiType, ...], values: Any) -> Transaction:
    """The call with other arguments."""
    return msgspec.structs.replace(call, data=call.data[:SELECTOR_SIZE] + encode(types, values))


def blobs_of(value: Any) -> Iterator[bytes | str]:
    """The strings and byte strings in a decoded value."""
    if isinstance(value, bytes | str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from blobs_of(item)


def with_blob(value: Any, old: bytes | str, new: bytes | str) -> Any:
    """A decoded value with a string or byte string replaced wherever it stands."""
    if isinstance(value, list | tuple):
        return [with_blob(item, old, new) for item in value]
    return new if type(value) is type(old) and value == old else value


def with_call(sequence: Sequence, index: int, call: Transaction) -> Sequence:
    """The sequence with another call at `index`."""
    return (*sequence[:index], call, *sequence[index + 1 :])


def later(call: Transaction, earlier: Transaction) -> Transaction:
    """The call after the delay of an earlier one besides its own."""
    seconds, blocks = call.seconds + earlier.seconds, call.blocks + earlier.blocks
    return msgspec.structs.replace(call, seconds=seconds, blocks=blocks)
