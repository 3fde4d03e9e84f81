"""Dictionary values from users, in the form that workers accept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from actors.runtime.errors import CommandRejected
from actors.steering.commands import DictionaryValue
from simulator.abi.call_parser import parse_value
from simulator.abi.literals import Wildcard
from simulator.abi.types import AbiType, Address, Bytes, FixedBytes, Int, String, UInt, parse_type_text
from simulator.errors import AbiError
from simulator.fuzz.generation.dictionary import MAX_BLOB, WORD_BYTES, Dictionary
from simulator.transaction import WORD_MAX
from simulator.worker.commands import AddWords

MAX_VALUES = 10_000
MAX_TEXT = 1 << 18
_HEX = re.compile(r"0[xX][0-9a-fA-F]*")


def read_values(values: Sequence[DictionaryValue]) -> AddWords:
    """All of the values, numbers with their neighbours. Raises `CommandRejected` with the first problem."""
    if not 1 <= len(values) <= MAX_VALUES:
        raise CommandRejected(f"1 to {MAX_VALUES} values can be added at once, not {len(values)}")
    if sum(len(value.value) for value in values) > MAX_TEXT:
        raise CommandRejected(f"the values have more than {MAX_TEXT} characters")
    dictionary = Dictionary()
    for number, value in enumerate(values, 1):
        try:
            _add(dictionary, value)
        except AbiError as error:
            raise CommandRejected(f"value {number}: {error}") from None
    return AddWords(
        tuple(word.to_bytes(WORD_BYTES, "big") for word in dictionary.numbers),
        tuple(word.to_bytes(WORD_BYTES, "big") for word in dictionary.fixed_bytes),
        tuple(address.to_bytes(20, "big") for address in dictionary.addresses),
        tuple(dictionary.blobs),
    )


def _add(dictionary: Dictionary, value: DictionaryValue) -> None:
    text = value.value.strip()
    abi_type = parse_type_text(value.type) if value.type else _guess(text)
    parsed = parse_value(text, abi_type)
    if isinstance(parsed, Wildcard):
        raise AbiError("a wildcard is no value")
    match abi_type:
        case UInt() | Int():
            dictionary.add_number(cast("int", parsed))
            dictionary.fixed_bytes[cast("int", parsed) & WORD_MAX] = None
        case Address():
            dictionary.addresses[cast("int", parsed)] = None
        case FixedBytes() | Bytes():
            dictionary.add_bytes(_bounded(cast("bytes", parsed)))
        case String():
            dictionary.add_bytes(_bounded(cast("str", parsed).encode("utf-8", "surrogateescape")))
        case _:
            raise AbiError(f"{abi_type.canonical}: allowed are numbers, addresses, bytes and strings")


def _bounded(data: bytes) -> bytes:
    if len(data) > MAX_BLOB:
        raise AbiError(f"a value has at most {MAX_BLOB} bytes, not {len(data)}")
    return data


def _guess(text: str) -> AbiType:
    if _HEX.fullmatch(text):
        match len(text) - 2:
            case 40:
                return Address()
            case 64:
                return FixedBytes(WORD_BYTES)
            case _:
                return Bytes()
    return String() if text[:1] in ("'", '"') else Int(256) if text.startswith("-") else UInt(256)
