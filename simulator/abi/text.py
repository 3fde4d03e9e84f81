r"""Values and calls as text for people, in Echidna's style: `f(1,true,"abc",0x10000,[1, 2],(3, 0x00ff))`.

Arguments are separated by `,`, members of arrays `[...]` and structs `(...)` by `, `. Addresses are shortest hex, as
Echidna writes them. `bytesN`, `bytes` and function pointers are `0x` and two digits a byte; where Echidna writes a
Haskell string, hex shows padding and non-printable bytes unambiguously. Strings are quoted with the escapes
`\"`, `\\`, `\n`, `\r`, `\t` and `\xNN` for other control characters and for bytes that are not UTF-8.
`simulator.abi.call_parser` reads all of it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never, cast

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

if TYPE_CHECKING:
    from simulator.abi.contract import ContractAbi, Function

MAX_RAW = 64
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def format_value(abi_type: AbiType, value: Value) -> str:
    """One value of `abi_type`; see the module for the form. A value of another type is the caller's bug."""
    match abi_type:
        case UInt() | Int():
            return str(value)
        case Address():
            return f"{cast('int', value):#x}"
        case Bool():
            return "true" if value else "false"
        case FixedBytes() | Bytes() | FunctionType():
            return "0x" + cast("bytes", value).hex()
        case String():
            return quote(cast("str", value))
        case Array(element):
            return f"[{', '.join(format_value(element, item) for item in _items(value))}]"
        case Tuple(members):
            pairs = zip(members, _items(value), strict=True)
            return f"({', '.join(format_value(member, item) for member, item in pairs)})"
        case _:
            assert_never(abi_type)


def format_arguments(types: Sequence[AbiType], values: Sequence[Value]) -> str:
    """`1,true,"abc"`, without parentheses."""
    return ",".join(format_value(member, value) for member, value in zip(types, values, strict=True))


def format_call(function: Function, data: bytes) -> str:
    """The call with this calldata (selector included). Padding is not examined; arguments that do not decode are shown
    as raw hex, at most 64 bytes of it."""
    try:
        values = function.decode_call(data, strict=False)
    except AbiError:
        return f"{function.name}({format_raw(data[4:])})"
    return f"{function.name}({format_arguments(function.inputs.members, values)})"


def format_calldata(abi: ContractAbi | None, data: bytes) -> str:
    """Calldata for a contract: the call of one of its functions, else `*fallback*(0x...)`."""
    function = abi.by_selector.get(data[:4]) if abi is not None else None
    return format_call(function, data) if function is not None else f"*fallback*({format_raw(data)})"


def format_raw(data: bytes) -> str:
    """`0x` and at most 64 bytes as hex; what is left out is counted."""
    if len(data) <= MAX_RAW:
        return "0x" + data.hex()
    return f"0x{data[:MAX_RAW].hex()}... ({len(data)} bytes)"


def quote(text: str) -> str:
    """A string in double quotes with escapes; surrogate escapes come out as the bytes they stand for."""
    return '"' + "".join(_escape(character) for character in text) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x20 or code == 0x7F:
        return _ESCAPES.get(character, f"\\x{code:02x}")
    if not character.isprintable():
        return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    return _ESCAPES.get(character, character)


def _items(value: Value) -> Sequence[Value]:
    return cast("Sequence[Value]", value)
