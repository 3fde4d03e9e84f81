"""Dictionary words from values that a test wants tried."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.abi.codec import encode
from simulator.abi.types import AbiType, Address, Bytes, FixedBytes, String, Value
from simulator.errors import AbiError
from simulator.fuzz.generation.dictionary import WORD_BYTES, Dictionary


def words_of(fixtures: Iterable[tuple[AbiType, tuple[Value, ...]]]) -> Dictionary:
    """The values as a dictionary, without arrays and structs."""
    words = Dictionary()
    for abi_type, values in fixtures:
        for value in values:
            _add(words, abi_type, value)
    return words


def _add(words: Dictionary, abi_type: AbiType, value: Value) -> None:
    match abi_type:
        case Bytes() | String():
            words.blobs[value if isinstance(value, bytes) else str(value).encode(errors="surrogateescape")] = None
            return
        case Address():
            pool = words.addresses
        case FixedBytes():
            pool = words.fixed_bytes
        case _:
            pool = words.numbers
    try:
        data = encode((abi_type,), (value,))
    except AbiError:
        return
    if len(data) == WORD_BYTES:
        pool[int.from_bytes(data, "big")] = None
