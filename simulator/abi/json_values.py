"""ABI values as Medusa writes them in JSON: numbers and bytes as texts, structs as objects by member name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from simulator.abi.types import (
    AbiType,
    Address,
    Array,
    Bool,
    Bytes,
    FixedBytes,
    FunctionType,
    Int,
    String,
    Tuple,
    UInt,
    Value,
)
from simulator.errors import AbiError

DEPLOYED = "DeployedContract:"
"""Begins a text that stands for the address of a contract which was deployed before."""
_ADDRESS = re.compile(r"(0x)?[0-9a-fA-F]{1,40}")
_INTEGER = re.compile(r"-?(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})")
_NOBODY: Mapping[str, int] = {}


def read_arguments(inputs: Tuple, node: object, deployed: Mapping[str, int] = _NOBODY) -> list[Value]:
    """Arguments given as an object by name, or as a list in order. `deployed` are the addresses of contracts by name.

    Raises `AbiError` naming the argument. Whether numbers are in range is left to the encoder.
    """
    return _members(inputs, node, deployed, "")


def read_value(abi_type: AbiType, node: object, deployed: Mapping[str, int], place: str) -> Value:
    """One value. Raises `AbiError` beginning with `place`."""
    match abi_type:
        case UInt() | Int():
            return _integer(node, abi_type, place)
        case Address():
            return _address(node, deployed, place)
        case Bool():
            return bool(_expect(node, bool, "true or false", place))
        case String():
            return str(_expect(node, str, "a text", place))
        case Bytes():
            return _bytes(node, place)
        case FixedBytes(size) | FunctionType(size=size):
            return _fixed_bytes(node, size, place)
        case Array(element, length):
            items = _list(node, length, place)
            return [read_value(element, item, deployed, f"{place}[{index}]") for index, item in enumerate(items)]
        case Tuple():
            return _members(abi_type, node, deployed, place)
        case _:
            assert_never(abi_type)


def write_value(abi_type: AbiType, value: Any) -> Any:
    """The JSON of a value; texts that are not UTF-8 lose the bytes that are not."""
    match abi_type:
        case UInt() | Int():
            return str(value)
        case Address():
            return f"0x{value:040x}"
        case Bool():
            return value
        case String():
            return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        case Bytes() | FixedBytes() | FunctionType():
            return value.hex()
        case Array(element):
            return [write_value(element, item) for item in value]
        case Tuple(members, names):
            written = [write_value(*pair) for pair in zip(members, value, strict=True)]
            return dict(zip(names, written, strict=True)) if _are_keys(names) else written
        case _:
            assert_never(abi_type)


def _are_keys(names: Sequence[str]) -> bool:
    return bool(names) and all(names) and len(set(names)) == len(names)


def _members(inputs: Tuple, node: object, deployed: Mapping[str, int], place: str) -> list[Value]:
    names = [inputs.names[index] if index < len(inputs.names) else "" for index in range(len(inputs.members))]
    if isinstance(node, Mapping):
        if unknown := [str(key) for key in node if key not in names]:
            raise AbiError(f"{place or 'arguments'}: no parameter is called {', '.join(unknown)}; there are {names}")
        if missing := [name or f"number {index}" for index, name in enumerate(names, 1) if name not in node]:
            raise AbiError(f"{place or 'arguments'}: {', '.join(missing)} is missing")
        values = [node[name] for name in names]
    else:
        values = list(_list(node, len(names), place or "arguments"))
    return [
        read_value(member, value, deployed, f"{place}.{name}" if place else name or f"argument {index}")
        for index, (member, name, value) in enumerate(zip(inputs.members, names, values, strict=True), 1)
    ]


def _expect(node: object, kind: type, form: str, place: str) -> object:
    if not isinstance(node, kind):
        raise AbiError(f"{place}: must be {form}")
    return node


def _list(node: object, length: int | None, place: str) -> Sequence[object]:
    if not isinstance(node, list) or length not in (None, len(node)):
        raise AbiError(f"{place}: must be a list{'' if length is None else f' of {length} values'}")
    return node


def _integer(node: object, abi_type: UInt | Int, place: str) -> int:
    if isinstance(node, int) and not isinstance(node, bool):
        return node
    if isinstance(node, str) and _INTEGER.fullmatch(node):
        return int(node, 0 if "x" in node else 10)
    raise AbiError(f"{place}: must be an {abi_type.canonical} as a decimal or 0x text")


def _address(node: object, deployed: Mapping[str, int], place: str) -> int:
    if isinstance(node, str) and DEPLOYED in node:
        name = node.partition(DEPLOYED)[2]
        if name not in deployed:
            raise AbiError(f"{place}: {name} is not deployed before this contract")
        return deployed[name]
    if isinstance(node, str) and _ADDRESS.fullmatch(node):
        return int(node, 16)
    raise AbiError(f"{place}: must be an address as a text of hex digits, or {DEPLOYED}Name")


def _bytes(node: object, place: str) -> bytes:
    try:
        return bytes.fromhex(str(_expect(node, str, "hex digits", place)).removeprefix("0x"))
    except ValueError:
        raise AbiError(f"{place}: must be hex digits") from None


def _fixed_bytes(node: object, size: int, place: str) -> bytes:
    data = _bytes(node, place)
    if len(data) != size:
        raise AbiError(f"{place}: must be {2 * size} hex digits")
    return data
