"""The ABI encoding (https://docs.soliditylang.org/en/latest/abi-spec.html): values to bytes and back.

Decoding is written for hostile data: offsets may point anywhere inside it and may share their target, so the work is
bounded by `MAX_ELEMENTS` values and `MAX_BYTES` bytes of content, whatever the data says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from simulator.abi.types import (
    WORD,
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
from simulator.printable import shortened

MAX_ELEMENTS = 1 << 16
MAX_BYTES = 1 << 22


class _MisfitError(Exception):
    """A value does not fit its type; containers add their index to `path` on the way out."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.path: list[int] = []

    def render(self) -> str:
        first, *rest = reversed(self.path)
        return f"argument {first + 1}{''.join(f'[{index}]' for index in rest)}: {self}"


def encode(types: Sequence[AbiType], values: Sequence[Value]) -> bytes:
    """Encode the arguments of a call, without a selector.

    Raises `AbiError` naming the argument (counted from 1) when a value has the wrong Python type, is out of range, or
    the counts differ.
    """
    if len(types) != len(values):
        raise AbiError(f"{len(types)} arguments expected, {len(values)} given")
    try:
        return _encode_members(types, values)
    except _MisfitError as misfit:
        raise AbiError(misfit.render()) from None


def _encode_members(types: Sequence[AbiType], values: Sequence[Value]) -> bytes:
    heads: list[bytes] = []
    tails: list[bytes] = []
    tail_at = sum(member.head_size for member in types)
    for index, (member, value) in enumerate(zip(types, values, strict=True)):
        try:
            encoded = _encode_value(member, value)
        except _MisfitError as misfit:
            misfit.path.append(index)
            raise
        if member.is_dynamic:
            heads.append(tail_at.to_bytes(WORD, "big"))
            tails.append(encoded)
            tail_at += len(encoded)
        else:
            heads.append(encoded)
    return b"".join(heads + tails)


def _encode_value(abi_type: AbiType, value: Value) -> bytes:
    match abi_type:
        case UInt(bits):
            return _integer(value, 0, (1 << bits) - 1, abi_type).to_bytes(WORD, "big")
        case Int(bits):
            half = 1 << (bits - 1)
            return _integer(value, -half, half - 1, abi_type).to_bytes(WORD, "big", signed=True)
        case Address():
            return _integer(value, 0, (1 << 160) - 1, abi_type).to_bytes(WORD, "big")
        case Bool():
            if not isinstance(value, bool):
                raise _MisfitError(f"{_shown(value)} is not a bool; True or False expected")
            return int(value).to_bytes(WORD, "big")
        case FixedBytes(size) | FunctionType(size=size):
            return _exact_bytes(value, size, abi_type).ljust(WORD, b"\0")
        case Bytes():
            if not isinstance(value, bytes):
                raise _MisfitError(f"{_shown(value)} is not bytes")
            return _length_prefixed(value)
        case String():
            return _length_prefixed(_string_bytes(value))
        case Array(element, length):
            return _encode_array(element, length, _elements(value, length, abi_type))
        case Tuple(members):
            return _encode_members(members, _elements(value, len(members), abi_type))
        case _:
            assert_never(abi_type)


def _encode_array(element: AbiType, length: int | None, values: Sequence[Value]) -> bytes:
    body = _encode_members([element] * len(values), values)
    return body if length is not None else len(values).to_bytes(WORD, "big") + body


def _integer(value: Value, low: int, high: int, abi_type: AbiType) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _MisfitError(f"{_shown(value)} is not an integer; {abi_type.canonical} expects {low}..{high}")
    if not low <= value <= high:
        raise _MisfitError(f"{value} is out of range; {abi_type.canonical} allows {low}..{high}")
    return value


def _exact_bytes(value: Value, size: int, abi_type: AbiType) -> bytes:
    if not isinstance(value, bytes) or len(value) != size:
        raise _MisfitError(f"{_shown(value)} is not {abi_type.canonical}; exactly {size} bytes expected")
    return value


def _string_bytes(value: Value) -> bytes:
    if not isinstance(value, str):
        raise _MisfitError(f"{_shown(value)} is not a string")
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise _MisfitError(f"{_shown(value)} holds a surrogate that stands for no byte") from None


def _elements(value: Value, length: int | None, abi_type: AbiType) -> Sequence[Value]:
    if not isinstance(value, list | tuple):
        raise _MisfitError(f"{_shown(value)} is not a list or tuple; {abi_type.canonical} expected")
    if length is not None and len(value) != length:
        raise _MisfitError(f"{len(value)} elements given; {abi_type.canonical} has {length}")
    return value


def _length_prefixed(content: bytes) -> bytes:
    return len(content).to_bytes(WORD, "big") + content + bytes(-len(content) % WORD)


def _shown(value: object) -> str:
    return shortened(repr(value), 60)


def decode(types: Sequence[AbiType], data: bytes, *, strict: bool = True) -> tuple[Value, ...]:
    """Decode the arguments of a call, without a selector. Arrays and tuples come as Python tuples.

    Bytes after the last value are ignored, as Solidity does. With `strict`, padding must be clean: high bits of
    integers, addresses and bools, low bytes of `bytesN`, and the zeros after `bytes` and `string`, which must be
    there. Without it, dirty bits are cut off, any non-zero bool is true and the trailing zeros may be missing.

    Raises `AbiError` when the data is too short, an offset or length leads outside of it, padding is dirty, or a limit
    of this module is reached.
    """
    return _Decoder(Reader(data), strict).members(types, 0)


def decode_with(reader: Reader, types: Sequence[AbiType]) -> tuple[Value, ...]:
    """`decode` without `strict`, of what another reader makes of the data."""
    return _Decoder(reader, strict=False).members(types, 0)


@dataclass
class Reader:
    """Bounded access to encoded data; spends the budget of elements and bytes. All methods raise `AbiError`."""

    data: bytes
    elements_left: int = MAX_ELEMENTS
    bytes_left: int = MAX_BYTES

    def word(self, position: int) -> bytes:
        word = self.data[position : position + WORD]
        if len(word) < WORD:
            raise AbiError(f"the data ends at byte {len(self.data)}, inside the word at byte {position}")
        return word

    def size(self, position: int, what: str) -> int:
        """An offset or a length: it can never exceed the size of the data, so neither can what is read with it."""
        value = int.from_bytes(self.word(position), "big")
        if value > len(self.data):
            raise AbiError(f"{what} at byte {position} is {value:#x}, beyond the {len(self.data)} bytes of data")
        return value

    def place(self, abi_type: AbiType, head: int, base: int) -> int:
        """Start of the encoding of a member: at its head, or where the offset there leads, relative to `base`."""
        return base + self.size(head, "offset") if abi_type.is_dynamic else head

    def count(self, position: int, element: AbiType) -> int:
        """The length word of a dynamic array, checked against the data that is there."""
        length = self.size(position, "array length")
        if length * element.head_size > len(self.data) - position - WORD:
            raise AbiError(f"array length {length} at byte {position} exceeds the data")
        return length

    def content(self, position: int) -> bytes:
        """The bytes after the length word at `position`, without padding."""
        length = self.size(position, "byte length")
        content = self.data[position + WORD : position + WORD + length]
        if len(content) < length:
            raise AbiError(f"byte length {length} at byte {position} exceeds the data")
        self.spend_bytes(length)
        return content

    def spend_bytes(self, length: int) -> None:
        self.bytes_left -= length
        if self.bytes_left < 0:
            raise AbiError(f"the data decodes to more than {MAX_BYTES} bytes of content")

    def spend(self, elements: int) -> None:
        self.elements_left -= elements
        if self.elements_left < 0:
            raise AbiError(f"the data decodes to more than {MAX_ELEMENTS} values")


class _Decoder:
    def __init__(self, reader: Reader, strict: bool) -> None:
        self._reader = reader
        self._strict = strict

    def members(self, types: Sequence[AbiType], base: int) -> tuple[Value, ...]:
        head = base
        values: list[Value] = []
        for member in types:
            values.append(self._value(member, self._reader.place(member, head, base)))
            head += member.head_size
        return tuple(values)

    def _value(self, abi_type: AbiType, position: int) -> Value:
        match abi_type:
            case UInt(bits):
                return self._unsigned(abi_type, position, bits)
            case Int(bits):
                return self._signed(abi_type, position, bits)
            case Address():
                return self._unsigned(abi_type, position, 160)
            case Bool():
                return bool(self._unsigned(abi_type, position, 1 if self._strict else 256))
            case FixedBytes(size) | FunctionType(size=size):
                return self._left_aligned(abi_type, position, size)
            case Bytes():
                return self._content(position)
            case String():
                return self._content(position).decode("utf-8", "surrogateescape")
            case Array(element, length):
                if length is None:
                    length = self._reader.count(position, element)
                    position += WORD
                self._reader.spend(length)
                return self.members([element] * length, position)
            case Tuple(members):
                self._reader.spend(len(members))
                return self.members(members, position)
            case _:
                assert_never(abi_type)

    def _unsigned(self, abi_type: AbiType, position: int, bits: int) -> int:
        word = int.from_bytes(self._reader.word(position), "big")
        if self._strict and word >> bits:
            raise AbiError(f"dirty high bits in the {abi_type.canonical} at byte {position}")
        return word & ((1 << bits) - 1)

    def _signed(self, abi_type: AbiType, position: int, bits: int) -> int:
        word = int.from_bytes(self._reader.word(position), "big", signed=True)
        half = 1 << (bits - 1)
        if self._strict and not -half <= word < half:
            raise AbiError(f"dirty high bits in the {abi_type.canonical} at byte {position}")
        return ((word + half) & ((1 << bits) - 1)) - half

    def _left_aligned(self, abi_type: AbiType, position: int, size: int) -> bytes:
        word = self._reader.word(position)
        if self._strict and any(word[size:]):
            raise AbiError(f"dirty low bytes in the {abi_type.canonical} at byte {position}")
        return word[:size]

    def _content(self, position: int) -> bytes:
        content = self._reader.content(position)
        end = position + WORD + len(content)
        padding = self._reader.data[end : end + -len(content) % WORD]
        if self._strict and (any(padding) or len(padding) < -len(content) % WORD):
            raise AbiError(f"dirty or missing padding after the bytes at byte {position}")
        return content


def repair(types: Sequence[AbiType], data: bytes) -> tuple[Value, ...]:
    """Decode arguments, without a selector, of which some do not decode: those become zero or empty, the others stay.
    Solidity reads members of `calldata` arguments when they are used, so a wild offset may do no harm.

    Raises `AbiError` when a limit of the codec is reached.
    """
    return decode_with(_LenientReader(data), types)


class _LenientReader(Reader):
    """Behind the end there are zeros; lengths beyond it are zero, texts end with the data."""

    def word(self, position: int) -> bytes:
        return self.data[position : position + WORD].ljust(WORD, b"\0")

    def size(self, position: int, what: str) -> int:
        return min(int.from_bytes(self.word(position), "big"), len(self.data))

    def count(self, position: int, element: AbiType) -> int:
        length = int.from_bytes(self.word(position), "big")
        return length if length * element.head_size <= len(self.data) - position - WORD else 0

    def content(self, position: int) -> bytes:
        content = self.data[position + WORD : position + WORD + self.size(position, "byte length")]
        self.spend_bytes(len(content))
        return content
