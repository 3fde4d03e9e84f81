"""Pieces of Solidity source for generated tests: literals of ABI values, and calls."""

from __future__ import annotations

from typing import Any, assert_never

from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import checksum_address
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
)
from simulator.errors import AbiError


def call_expression(abi: ContractAbi | None, data: bytes) -> str:
    """An expression for the calldata: `abi.encodeWithSignature(...)` when all arguments have a literal form and give
    exactly these bytes, else a hex literal."""
    function = abi.by_selector.get(data[:4]) if abi is not None else None
    if function is not None:
        try:
            values = function.decode_call(data)
            exact = function.encode_call(values) == data
        except AbiError:
            exact, values = False, ()
        literals = [
            solidity_literal(member, value) for member, value in zip(function.inputs.members, values, strict=exact)
        ]
        if exact and None not in literals:
            return (
                f"abi.encodeWithSignature({', '.join([string_literal(function.signature), *filter(None, literals)])})"
            )
    return f'hex"{data.hex()}"'


def solidity_literal(abi_type: AbiType, value: Any) -> str | None:
    """The value as an expression of exactly that type; None for arrays, tuples and function pointers, which have no
    literal. Strings that are not plain ASCII become `bytes`, which encode alike."""
    match abi_type:
        case UInt() | Int():
            return f"{abi_type.canonical}({value})"
        case Address():
            return checksum_address(value)
        case Bool():
            return "true" if value else "false"
        case FixedBytes(size):
            return f'bytes{size}(hex"{value.hex()}")'
        case Bytes():
            return f'bytes(hex"{value.hex()}")'
        case String():
            if value.isascii() and value.isprintable():
                return f"string({string_literal(value)})"
            return f'bytes(hex"{value.encode("utf-8", "surrogateescape").hex()}")'
        case FunctionType() | Array() | Tuple():
            return None
        case _:
            assert_never(abi_type)


def string_literal(text: str) -> str:
    """Printable text in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
