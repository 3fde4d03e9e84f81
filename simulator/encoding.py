"""JSON and MessagePack of values whose texts may hold names and contract strings that are not UTF-8."""

from __future__ import annotations

from typing import Any

import msgspec

from simulator.printable import encodable


def encode_json(value: object) -> bytes:
    """A value as JSON in UTF-8. Lone surrogates in its texts are escaped rather than refused."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(encodable_value(msgspec.to_builtins(value)))


def encode_msgpack(value: object) -> bytes:
    """A value as MessagePack. Lone surrogates in its texts are escaped rather than refused."""
    try:
        return msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(encodable_value(msgspec.to_builtins(value, builtin_types=(bytes,))))


def encodable_value(value: Any) -> Any:
    """A value made of dictionaries, lists and plain values, with `encodable` applied to each text."""
    match value:
        case str():
            return encodable(value)
        case dict():
            return {encodable_value(key): encodable_value(member) for key, member in value.items()}
        case list() | tuple():
            return [encodable_value(member) for member in value]
        case _:
            return value
