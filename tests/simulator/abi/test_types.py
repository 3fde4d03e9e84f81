"""The two notations of types."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.types import (
    Address,
    Array,
    Bool,
    FixedBytes,
    FunctionType,
    Int,
    String,
    Tuple,
    UInt,
    parse_tuple,
    parse_type_text,
)
from simulator.errors import AbiError


@pytest.mark.parametrize(
    "text",
    [
        "uint8",
        "int256",
        "bool",
        "address",
        "bytes1",
        "bytes32",
        "bytes",
        "string",
        "function",
        "(uint256,bytes)[]",
        "uint256[3][]",
        "((bool)[2],string)[4]",
        "()",
    ],
)
def test_canonical_text_is_read_and_written_alike(text: str) -> None:
    """parse_type_text and canonical are inverse."""
    assert parse_type_text(text).canonical == text


def test_each_word_means_its_type() -> None:
    """Short names mean 256 bits; spaces may follow commas."""
    assert parse_type_text("(uint, int,bool[2], bytes3,function)") == Tuple(
        (UInt(256), Int(256), Array(Bool(), 2), FixedBytes(3), FunctionType())
    )


def test_json_tuples_keep_names_and_suffixes() -> None:
    """Components nest, suffixes apply to the tuple, equality ignores names."""
    (parsed,) = parse_tuple(
        [
            {
                "type": "tuple[2][]",
                "components": [
                    {"name": "owner", "type": "address"},
                    {"name": "part", "type": "tuple", "components": [{"name": "x", "type": "uint8"}]},
                ],
            }
        ]
    ).members
    assert parsed == parse_type_text("(address,(uint8))[2][]")
    assert isinstance(parsed, Array)
    assert isinstance(parsed.element, Array)
    assert isinstance(parsed.element.element, Tuple)
    assert parsed.element.element.names == ("owner", "part")


@pytest.mark.parametrize(
    ("text", "dynamic", "head"),
    [
        ("uint8", False, 32),
        ("bytes", True, 32),
        ("uint8[3]", False, 96),
        ("uint8[]", True, 32),
        ("(uint8,bool[2])", False, 96),
        ("(uint8,string)", True, 32),
        ("string[2]", True, 32),
        ("(uint8,bool)[2]", False, 128),
    ],
)
def test_head_size_and_dynamism_follow_the_specification(text: str, dynamic: bool, head: int) -> None:
    """A dynamic type takes one offset word in the head, a static one its whole size."""
    parsed = parse_type_text(text)
    assert (parsed.is_dynamic, parsed.head_size) == (dynamic, head)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "uint7",
        "uint264",
        "bytes33",
        "bytes0",
        "fixed",
        "ufixed128x18",
        "uint8[0]",
        "uint8[-1]",
        "(uint8",
        "uint8)",
        "(uint8,)",
        "tuple",
        "uint8[][",
        "uint256[999999999]",
        "uint256 ",
        "Lib.Data storage",
        "string[99999999]",
        "string[1000][1000]",
        "()[9999999]",
        "(" * 40 + "bool" + ")" * 40,
        "bool" + "[]" * 33,
        "bool" + "[1]" * 33,
    ],
)
def test_what_is_no_type_is_an_abi_error(text: str) -> None:
    """Wrong widths, fixed-point numbers, broken syntax, and sizes or nesting over the limits."""
    with pytest.raises(AbiError):
        parse_type_text(text)


@pytest.mark.parametrize("parameter", [{}, {"type": 5}, {"type": "tuple"}, {"type": "tuplex", "components": []}, [], 3])
def test_a_broken_json_parameter_is_an_abi_error(parameter: object) -> None:
    """Whatever stands where a parameter should be."""
    with pytest.raises(AbiError):
        parse_tuple([parameter])  # type: ignore[arg-type]


@given(st.text(alphabet="uint8()[],bolsyea2 f", max_size=30))
def test_any_text_is_a_type_or_an_abi_error(text: str) -> None:
    """Nothing else is raised, and what is a type has a canonical form that means the same."""
    try:
        parsed = parse_type_text(text)
    except AbiError:
        return
    assert parse_type_text(parsed.canonical) == parsed


def test_parameters_become_one_named_tuple() -> None:
    """parse_tuple keeps the order and the names."""
    parsed = parse_tuple([{"name": "to", "type": "address"}, {"type": "string"}])
    assert parsed == Tuple((Address(), String()))
    assert [parsed.name_of(0), parsed.name_of(1), parsed.name_of(5)] == ["to", "", ""]
