"""The dictionary as the structural value generator asks for it: by ABI type."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from simulator.abi.types import AbiType, Address, Bytes, FixedBytes, Int, String, UInt, Value
from simulator.fuzz.dictionary import WORD_BYTES, Dictionary


class ValueSource:
    """Picks values of a type from a dictionary as it is when this is made; numbers are cut to the type's range."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._numbers = tuple(dictionary.numbers)
        self._fixed_bytes = tuple(dictionary.fixed_bytes)
        self._addresses = tuple(dictionary.addresses)
        self._blobs = tuple(dictionary.blobs)

    def pick(self, abi_type: AbiType, rng: Random) -> Value | None:
        match abi_type:
            case UInt(bits):
                return rng.choice(self._numbers) % (1 << bits) if self._numbers else None
            case Int(bits):
                return _signed(rng.choice(self._numbers), bits) if self._numbers else None
            case Address():
                return rng.choice(self._addresses) if self._addresses else None
            case FixedBytes(size):
                return rng.choice(self._fixed_bytes).to_bytes(WORD_BYTES, "big")[:size] if self._fixed_bytes else None
            case Bytes():
                return rng.choice(self._blobs) if self._blobs else None
            case String():
                return rng.choice(self._blobs).decode(errors="surrogateescape") if self._blobs else None
            case _:
                return None

    def addresses(self) -> Sequence[int]:
        return self._addresses


def _signed(word: int, bits: int) -> int:
    value = word % (1 << bits)
    return value - (1 << bits) if value >> (bits - 1) else value
