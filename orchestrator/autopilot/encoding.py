"""`keccak256`, `abi.encode`, `abi.encodePacked` and selectors of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orchestrator.autopilot.linked import Linked
from orchestrator.autopilot.values import (
    UNKNOWN,
    Items,
    Operation,
    Record,
    Value,
    element_of,
    is_fixed_bytes,
    is_integer,
    range_of,
)
from simulator.abi.codec import encode
from simulator.abi.hashing import keccak256
from simulator.abi.types import parse_type_text
from simulator.errors import AbiError

MAX_CONTENT = 1 << 14


class Unencodable(Exception):  # noqa: N818  # it is no error of anybody
    """The value has no ABI form here."""


def abi_type(kind: str, scope: Linked) -> str:
    """The ABI's name of a type. Raises `Unencodable`."""
    if kind.endswith("]"):
        base, size = element_of(kind)
        return f"{abi_type(base, scope)}[{'' if size is None else size}]"
    if kind == "number":
        return "uint256"
    if is_integer(kind) or is_fixed_bytes(kind) or kind in ("bool", "address", "bytes", "string"):
        return kind
    if kind in scope.structs:
        return "(" + ",".join(abi_type(each.type, scope) for each in scope.structs[kind]) + ")"
    if kind in scope.enums:
        return "uint8"
    if kind.startswith("mapping("):
        raise Unencodable(kind)
    return "address"


def plain(value: Value, kind: str) -> Any:
    """A value as the codec takes it, for an ABI type. Raises `Unencodable`."""
    data = value.data
    if data is UNKNOWN:
        raise Unencodable("unknown")
    if isinstance(data, Record):
        members = members_of(kind)
        return [plain(slot.value, each) for slot, each in zip(data.members.values(), members, strict=True)]
    if isinstance(data, Items):
        base, _ = element_of(kind)
        return [plain(slot.value, base) for slot in data.slots]
    return plain_data(data, kind)


def plain_data(data: Any, kind: str) -> Any:
    """Data of one of the simple types, as the codec takes it."""
    if is_fixed_bytes(kind):
        size = int(kind[5:])
        return data[:size].ljust(size, b"\0") if isinstance(data, bytes) else int(data).to_bytes(size, "big")
    if kind == "string" and isinstance(data, bytes):
        return data.decode("utf-8", "surrogateescape")
    if kind == "bool":
        return bool(data)
    return data


def members_of(kind: str) -> list[str]:
    """Types of a tuple."""
    found, depth, start = [], 0, 1
    for place, letter in enumerate(kind):
        depth += (letter == "(") - (letter == ")")
        if (letter == "," and depth == 1) or (letter == ")" and depth == 0):
            found.append(kind[start:place])
            start = place + 1
    return [each for each in found if each]


def encode_values(values: Sequence[Value], kinds: Sequence[str]) -> bytes:
    """Raises `Unencodable`."""
    try:
        data = [plain(value, kind) for value, kind in zip(values, kinds, strict=True)]
        return encode([parse_type_text(kind) for kind in kinds], data)
    except (AbiError, ValueError, OverflowError) as error:
        raise Unencodable(str(error)) from error


def encoded(operator: str, values: Sequence[Value], scope: Linked) -> Value:
    """`abi.encode` or `abi.encodePacked`."""
    term = Operation(operator, tuple(values))
    try:
        kinds = [_literal_type(value) or abi_type(value.type, scope) for value in values]
        content = encode_values(values, kinds) if operator == "encode" else b"".join(map(_packed, values, kinds))
        # Contracts may double a text in a loop.
        return Value(content if len(content) <= MAX_CONTENT else UNKNOWN, "bytes", term)
    except Unencodable:
        return Value(UNKNOWN, "bytes", term)


def _literal_type(value: Value) -> str:
    return "string" if value.type == "number" and isinstance(value.data, bytes) else ""


def _packed(value: Value, kind: str) -> bytes:
    data = plain(value, kind)
    if isinstance(data, list):
        base, _ = element_of(kind)
        return encode_values([slot.value for slot in value.data.slots], [base] * len(data))
    if isinstance(data, str):
        return data.encode("utf-8", "surrogateescape")
    if isinstance(data, bytes):
        return data
    low, high = range_of(kind)
    return int(data % (high - low + 1)).to_bytes(max(1, (high - low).bit_length() // 8), "big")


def hashed(value: Value) -> Value:
    """`keccak256(value)`."""
    term = Operation("keccak256", (value,)) if value.term is not None else None
    if not isinstance(value.data, bytes):
        return Value(UNKNOWN, "bytes32", term)
    return Value(int.from_bytes(keccak256(value.data), "big"), "bytes32", term)


def selector_of(name: str, kinds: Sequence[str]) -> bytes:
    return keccak256(f"{name}({','.join(kinds)})".encode())[:4]


def arguments_data(name: str, values: Sequence[Any], kinds: Sequence[str]) -> bytes:
    """Calldata. Raises `Unencodable`."""
    try:
        return selector_of(name, kinds) + encode([parse_type_text(kind) for kind in kinds], list(values))
    except (AbiError, ValueError, OverflowError) as error:
        raise Unencodable(str(error)) from error
