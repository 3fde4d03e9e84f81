"""The codec against eth-abi, and against data made to hurt it."""

from __future__ import annotations

from typing import Any

import pytest
from eth_abi.abi import encode as eth_encode
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.abi.codec import MAX_ELEMENTS, decode, encode
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
    parse_type_text,
)
from simulator.errors import AbiError

BITS = st.integers(1, 32).map(lambda n: 8 * n)
LEAVES: st.SearchStrategy[AbiType] = st.one_of(
    BITS.map(UInt),
    BITS.map(Int),
    st.integers(1, 32).map(FixedBytes),
    st.sampled_from([Bool(), Address(), Bytes(), String(), FunctionType()]),
)
TYPES: st.SearchStrategy[AbiType] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Array, inner, st.none() | st.integers(1, 3)),
        st.lists(inner, min_size=1, max_size=3).map(lambda members: Tuple(tuple(members))),
    ),
    max_leaves=5,
)


def values_of(abi_type: AbiType) -> st.SearchStrategy[Any]:
    """Any value of the type."""
    match abi_type:
        case UInt(bits):
            return st.integers(0, 2**bits - 1)
        case Int(bits):
            return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        case Address():
            return st.integers(0, 2**160 - 1)
        case Bool():
            return st.booleans()
        case FixedBytes(size) | FunctionType(size=size):
            return st.binary(min_size=size, max_size=size)
        case Bytes():
            return st.binary(max_size=70)
        case String():
            return st.binary(max_size=70).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
        case Array(element, None):
            return st.lists(values_of(element), max_size=3).map(tuple)
        case Array(element, length):
            return st.tuples(*[values_of(element)] * (length or 0))
        case Tuple(members):
            return st.tuples(*map(values_of, members))


@st.composite
def arguments(draw: st.DrawFn) -> tuple[list[AbiType], list[Any]]:
    types = draw(st.lists(TYPES, max_size=4))
    return types, [draw(values_of(member)) for member in types]


def for_eth_abi(abi_type: AbiType, value: Any) -> Any:
    """eth-abi takes addresses as hex text and refuses text that is not UTF-8."""
    match abi_type:
        case Address():
            return f"0x{value:040x}"
        case Array(element):
            return tuple(for_eth_abi(element, item) for item in value)
        case Tuple(members):
            return tuple(map(for_eth_abi, members, value))
        case _:
            return value


def eth_name(abi_type: AbiType) -> str:
    """eth-abi writes an external function pointer as its bytes."""
    return abi_type.canonical.replace("function", "bytes24")


def is_utf8(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(is_utf8, value))
    return not isinstance(value, str) or value.isascii() or not any("\udc80" <= c <= "\udcff" for c in value)


@settings(max_examples=300, deadline=None)
@given(arguments())
def test_decoding_gives_back_what_was_encoded(case: tuple[list[AbiType], list[Any]]) -> None:
    """decode(encode(x)) is x for every type, with strict padding."""
    types, values = case
    assert decode(types, encode(types, values)) == tuple(values)


@settings(max_examples=300, deadline=None)
@given(arguments().filter(lambda case: is_utf8(tuple(case[1]))))
def test_the_encoding_is_the_one_of_eth_abi(case: tuple[list[AbiType], list[Any]]) -> None:
    """Both libraries produce the same bytes and read each other's."""
    types, values = case
    names, plain = [eth_name(member) for member in types], list(map(for_eth_abi, types, values))
    assert encode(types, values) == eth_encode(names, plain)


@settings(max_examples=300, deadline=None)
@given(st.lists(TYPES, max_size=3), st.binary(max_size=400), st.booleans())
def test_any_bytes_either_decode_or_raise_an_abi_error(types: list[AbiType], data: bytes, strict: bool) -> None:
    """Hostile data ends in values or in AbiError, nothing else."""
    try:
        values = decode(types, data, strict=strict)
    except AbiError:
        return
    if strict:
        assert decode(types, encode(types, values)) == values


@settings(max_examples=200, deadline=None)
@given(arguments(), st.randoms(use_true_random=False))
def test_small_damage_to_good_data_is_survived(case: tuple[list[AbiType], list[Any]], random: Any) -> None:
    """One changed byte leaves data that decodes or is refused."""
    types, values = case
    data = bytearray(encode(types, values))
    if data:
        data[random.randrange(len(data))] ^= random.randrange(1, 256)
    try:
        decode(types, bytes(data))
    except AbiError:
        return


def words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(32, "big") for number in numbers)


def test_offsets_that_share_a_target_cannot_explode() -> None:
    """A few hundred words describe 100**4 values; decoding stops at the limit of elements."""
    nested = parse_type_text("uint8[][][][]")
    level = words(100, *[32 * 100] * 100)
    data = words(32) + level * 3 + words(100, *[0] * 100)
    with pytest.raises(AbiError, match=str(MAX_ELEMENTS)):
        decode((nested,), data)


def test_empty_tuples_count_as_elements() -> None:
    """Elements that take no bytes cannot be repeated without limit."""
    with pytest.raises(AbiError):
        decode((Array(Tuple(()), 10**9),), b"")


def test_repeated_content_is_limited() -> None:
    """Many strings may share one long content only up to the limit of bytes."""
    count, size = 1000, 65536
    data = words(32, count, *[32 * count] * count, size) + bytes(size)
    with pytest.raises(AbiError, match="bytes of content"):
        decode((Array(String()),), data)


@pytest.mark.parametrize(
    ("text", "data", "lenient"),
    [
        ("uint8", words(0x1FF), 0xFF),
        ("int8", words(0x80), -128),
        ("bool", words(2), True),
        ("address", words(2**160 + 5), 5),
        ("bytes2", b"ab" + b"\x01" * 30, b"ab"),
        ("bytes", words(32, 1) + b"a" + b"\x01" * 31, b"a"),
        ("bytes", words(32, 1) + b"a", b"a"),
    ],
)
def test_dirty_padding_is_refused_only_when_strict(text: str, data: bytes, lenient: object) -> None:
    """Strict decoding refuses what lenient decoding cuts off."""
    abi_type = parse_type_text(text)
    with pytest.raises(AbiError):
        decode((abi_type,), data)
    assert decode((abi_type,), data, strict=False) == (lenient,)


@pytest.mark.parametrize(
    ("text", "value", "place"),
    [
        ("uint8", 256, "argument 1: 256 is out of range; uint8 allows 0..255"),
        ("int8", -129, "-128..127"),
        ("uint8", True, "not an integer"),
        ("bool", 1, "not a bool"),
        ("bytes2", b"a", "exactly 2 bytes"),
        ("bytes", "text", "not bytes"),
        ("string", b"raw", "not a string"),
        ("string", "\ud800", "surrogate"),
        ("address", 2**160, "out of range"),
        ("uint8[2]", [1], "has 2"),
        ("(bool,(uint8,uint8[])[])", (True, [(1, []), (2, [3, 999])]), r"argument 1\[1\]\[1\]\[1\]\[1\]: 999"),
        ("uint8[]", 5, "not a list"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_place(text: str, value: Any, place: str) -> None:
    """The error says which argument, and which forms are allowed."""
    with pytest.raises(AbiError, match=place):
        encode((parse_type_text(text),), (value,))


def test_the_number_of_arguments_must_agree() -> None:
    """Too few or too many values are refused."""
    with pytest.raises(AbiError, match="2 arguments expected, 1 given"):
        encode((Bool(), Bool()), (True,))
