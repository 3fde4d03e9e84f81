"""The dictionary as the structural value generator asks for it: by ABI type."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from simulator.abi.contract import Function
from simulator.abi.types import AbiType, Address, Bytes, FixedBytes, Int, String, UInt, Value
from simulator.abi.values import generate_arguments
from simulator.fuzz.generation.dictionary import MAX_BLOB, WORD_BYTES, Dictionary

CALLS_IN_BYTES = 0.25
"""Share of encoded calls among known `bytes` values: callbacks, multicalls and proxies wait for them."""
VARIED_BLOBS = 0.5
MAX_REPETITIONS = 4


class ValueSource:
    """Picks values of a type from a dictionary as it is when this is made; numbers are cut to the type's range. `calls`
    are the functions whose encoded calls are values of type `bytes`."""

    def __init__(self, dictionary: Dictionary, calls: Sequence[Function] = ()) -> None:
        self._numbers = tuple(dictionary.numbers)
        self._fixed_bytes = tuple(dictionary.fixed_bytes)
        self._addresses = tuple(dictionary.addresses)
        self._blobs = tuple(dictionary.blobs)
        self._calls = tuple(calls)
        # Calls within calls hold no further ones.
        self._flat = ValueSource(dictionary) if calls else self

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
                return self._call(rng) if self._calls and rng.random() < CALLS_IN_BYTES else self._blob(rng)
            case String():
                blob = self._blob(rng)
                return None if blob is None else blob.decode(errors="surrogateescape")
            case _:
                return None

    def addresses(self) -> Sequence[int]:
        return self._addresses

    def _call(self, rng: Random) -> bytes:
        function = rng.choice(self._calls)
        return function.encode_call(generate_arguments(function.inputs.members, rng, self._flat))

    def _blob(self, rng: Random) -> bytes | None:
        """A known byte string, half of the time cut, continued or repeated."""
        if not self._blobs:
            return None
        blob = rng.choice(self._blobs)
        if rng.random() >= VARIED_BLOBS:
            return blob
        match rng.randrange(4):
            case 0:
                blob = blob[: rng.randint(0, len(blob))]
            case 1:
                blob += rng.randbytes(rng.randint(1, WORD_BYTES))
            case 2:
                blob *= rng.randint(2, MAX_REPETITIONS)
            case _:
                blob += rng.choice(self._blobs)
        return blob[:MAX_BLOB]


def _signed(word: int, bits: int) -> int:
    value = word % (1 << bits)
    return value - (1 << bits) if value >> (bits - 1) else value
