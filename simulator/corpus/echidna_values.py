"""hevm's `AbiValue` and `AbiType` as aeson derives their JSON: `{"tag": constructor, "contents": fields}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Any, TypeAlias, assert_never, cast

from simulator.abi.hashing import checksum_address
from simulator.abi.types import (
    MAX_NESTING,
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
from simulator.abi.values import EmptyDictionary, generate
from simulator.corpus.haskell_text import read_bytes, show_bytes
from simulator.errors import CorpusError
from simulator.transaction import WORD_MAX

Typed: TypeAlias = tuple[AbiType, Value]
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{1,64}")
_DECIMAL = re.compile(r"-?[0-9]{1,78}")


def write_value(abi_type: AbiType, value: Any) -> dict[str, Any]:
    """The JSON of one argument. `value` is one of `abi_type`."""
    match abi_type:
        case UInt(bits):
            return _tagged("AbiUInt", [bits, str(value)])
        case Int(bits):
            return _tagged("AbiInt", [bits, str(value)])
        case Address():
            return _tagged("AbiAddress", checksum_address(value))
        case Bool():
            return _tagged("AbiBool", value)
        case FixedBytes(size):
            return _tagged("AbiBytes", [size, show_bytes(value)])
        case Bytes():
            return _tagged("AbiBytesDynamic", show_bytes(value))
        case String():
            return _tagged("AbiString", show_bytes(value.encode("utf-8", "surrogateescape")))
        case FunctionType():
            address = checksum_address(int.from_bytes(value[:20], "big"))
            return _tagged("AbiFunction", [address, "0x" + value[20:].hex()])
        case Array(element, length):
            items = [write_value(element, item) for item in value]
            if length is None:
                return _tagged("AbiArrayDynamic", [_write_type(element), items])
            return _tagged("AbiArray", [length, _write_type(element), items])
        case Tuple(members):
            return _tagged("AbiTuple", [write_value(*pair) for pair in zip(members, value, strict=True)])
        case _:
            assert_never(abi_type)


def _write_type(abi_type: AbiType) -> dict[str, Any]:
    match abi_type:
        case UInt(bits):
            return _tagged("AbiUIntType", bits)
        case Int(bits):
            return _tagged("AbiIntType", bits)
        case FixedBytes(size):
            return _tagged("AbiBytesType", size)
        case Address() | Bool() | Bytes() | String() | FunctionType():
            return {"tag": _PLAIN_TAGS[abi_type]}
        case Array(element, None):
            return _tagged("AbiArrayDynamicType", _write_type(element))
        case Array(element, length):
            return _tagged("AbiArrayType", [length, _write_type(element)])
        case Tuple(members):
            return _tagged("AbiTupleType", [_write_type(member) for member in members])
        case _:
            assert_never(abi_type)


_PLAIN_TAGS: dict[AbiType, str] = {
    Address(): "AbiAddressType",
    Bool(): "AbiBoolType",
    Bytes(): "AbiBytesDynamicType",
    String(): "AbiStringType",
    FunctionType(): "AbiFunctionType",
}
_PLAIN_TYPES = {tag: abi_type for abi_type, tag in _PLAIN_TAGS.items()}


def _tagged(tag: str, contents: object) -> dict[str, Any]:
    return {"contents": contents, "tag": tag}


def read_typed_value(node: object, place: str, depth: int = 0) -> Typed:
    """Type and value of one argument. Numbers of an `AbiInt` outside their width wrap around; whether other values are
    in range is left to the encoder.

    Raises `CorpusError` beginning with `place`.
    """
    if depth > MAX_NESTING:
        raise CorpusError(f"{place}: nests deeper than {MAX_NESTING} levels")
    tag, contents = _split(node, place)
    if (wild := _wild_type(tag, contents, place, depth)) is not None:
        return wild, generate(wild, Random(place), EmptyDictionary())
    match tag, contents:
        case "AbiUInt", [int(bits), number]:
            return UInt(_width(bits, place)), _decimal(number, place)
        case "AbiInt", [int(bits), number]:
            return Int(_width(bits, place)), _wrapped(_decimal(number, place), bits)
        case "AbiAddress", _:
            return Address(), hex_address(contents, place)
        case "AbiBool", bool():
            return Bool(), contents
        case "AbiBytes", [int(size), str(text)]:
            return FixedBytes(_size(size, place)), _haskell(text, place).ljust(size, b"\0")
        case "AbiBytesDynamic", str():
            return Bytes(), _haskell(contents, place)
        case "AbiString", str():
            return String(), _haskell(contents, place).decode("utf-8", "surrogateescape")
        case "AbiFunction", [address, str(selector)]:
            return FunctionType(), hex_address(address, place).to_bytes(20, "big") + _selector(selector, place)
        case "AbiArrayDynamic", [element, [*items]]:
            return _array(_read_type(element, place, depth + 1), None, items, place, depth)
        case "AbiArray", [int(length), element, [*items]]:
            return _array(_read_type(element, place, depth + 1), _length(length, place), items, place, depth)
        case "AbiTuple", [*items]:
            members = [read_typed_value(item, place, depth + 1) for item in items]
            return Tuple(tuple(member for member, _ in members)), [value for _, value in members]
        case _:
            raise CorpusError(f"{place}: {tag!r} with contents of this form is no argument")


def _wild_type(tag: str, contents: object, place: str, depth: int) -> AbiType | None:
    """The type of an argument whose value is `?`; None for a value that is given. No value is written as a bare `?`."""
    match tag, contents:
        case "AbiUInt", [int(bits), "?"]:
            return UInt(_width(bits, place))
        case "AbiInt", [int(bits), "?"]:
            return Int(_width(bits, place))
        case "AbiBytes", [int(size), "?"]:
            return FixedBytes(_size(size, place))
        case "AbiArrayDynamic", [element, "?"]:
            return Array(_read_type(element, place, depth + 1))
        case "AbiArray", [int(length), element, "?"]:
            return Array(_read_type(element, place, depth + 1), _length(length, place))
        case _, "?":
            return _PLAIN_TYPES.get(f"{tag}Type")
        case _:
            return None


def _array(element: AbiType, length: int | None, items: list[object], place: str, depth: int) -> Typed:
    values = []
    for item in items:
        actual, value = read_typed_value(item, place, depth + 1)
        if actual != element:
            raise CorpusError(f"{place}: an element is {actual.canonical}, the array declares {element.canonical}")
        values.append(value)
    if length is not None and length != len(values):
        raise CorpusError(f"{place}: the array declares {length} elements and has {len(values)}")
    return Array(element, length), values


def _read_type(node: object, place: str, depth: int) -> AbiType:
    if depth > MAX_NESTING:
        raise CorpusError(f"{place}: nests deeper than {MAX_NESTING} levels")
    tag, contents = _split(node, place)
    if tag in _PLAIN_TYPES:
        return _PLAIN_TYPES[tag]
    match tag, contents:
        case "AbiUIntType", int():
            return UInt(_width(contents, place))
        case "AbiIntType", int():
            return Int(_width(contents, place))
        case "AbiBytesType", int():
            return FixedBytes(_size(contents, place))
        case "AbiArrayDynamicType", _:
            return Array(_read_type(contents, place, depth + 1))
        case "AbiArrayType", [int(length), element]:
            return Array(_read_type(element, place, depth + 1), _length(length, place))
        case "AbiTupleType", [*members]:
            return Tuple(tuple(_read_type(member, place, depth + 1) for member in members))
        case _:
            raise CorpusError(f"{place}: {tag!r} with contents of this form is no type")


def _split(node: object, place: str) -> tuple[str, Any]:
    if not isinstance(node, Mapping) or not isinstance(node.get("tag"), str):
        raise CorpusError(f"{place}: must be an object with a tag")
    return cast("str", node["tag"]), node.get("contents")


def hex_address(node: object, place: str) -> int:
    """An address written as `0x` and hex digits. Raises `CorpusError` beginning with `place`."""
    address = int(node, 16) if isinstance(node, str) and _ADDRESS.fullmatch(node) else -1
    if not 0 <= address < 1 << 160:
        raise CorpusError(f"{place}: must be an address, 0x and up to 40 hex digits")
    return address


def _decimal(node: object, place: str) -> int:
    if isinstance(node, int) and not isinstance(node, bool) and abs(node) <= WORD_MAX:
        return node
    if isinstance(node, str) and _DECIMAL.fullmatch(node):
        return int(node)
    raise CorpusError(f"{place}: must be an integer as a decimal string")


def _wrapped(number: int, bits: int) -> int:
    # Echidna's generator writes -(2**N) for an intN; such files must load all the same.
    half = 1 << (bits - 1)
    return (number + half) % (1 << bits) - half


def _width(bits: int, place: str) -> int:
    if bits % 8 or not 8 <= bits <= 256:
        raise CorpusError(f"{place}: an integer has 8, 16, ... or 256 bits, not {bits}")
    return bits


def _size(size: int, place: str) -> int:
    if not 1 <= size <= 32 or isinstance(size, bool):
        raise CorpusError(f"{place}: bytesN has 1..32 bytes, not {size}")
    return size


def _length(length: int, place: str) -> int:
    if not 1 <= length <= WORD_MAX or isinstance(length, bool):
        raise CorpusError(f"{place}: an array of fixed length has at least one element")
    return length


def _selector(text: str, place: str) -> bytes:
    try:
        selector = int(text, 16).to_bytes(4, "big")
    except (ValueError, OverflowError):
        raise CorpusError(f"{place}: a function selector must be 0x and 8 hex digits") from None
    return selector


def _haskell(text: str, place: str) -> bytes:
    try:
        return read_bytes(text)
    except CorpusError as error:
        raise CorpusError(f"{place}: {error}") from None
