"""Calls and values as text, and back."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.call_parser import parse_call
from simulator.abi.contract import ContractAbi, Function
from simulator.abi.literals import Wildcard
from simulator.abi.text import format_call, format_calldata, format_raw, format_value, quote
from simulator.abi.types import String, Tuple, parse_type_text
from simulator.abi.values import generate_arguments
from simulator.errors import AbiError
from tests.support.dictionaries import EmptyDictionary


def function(name: str, *types: str) -> dict[str, Any]:
    inputs = [{"name": f"p{index}", "type": text} for index, text in enumerate(types)]
    return {"type": "function", "name": name, "inputs": inputs, "outputs": []}


PERSON = {
    "name": "who",
    "type": "tuple",
    "components": [
        {"name": "age", "type": "uint8"},
        {"name": "name", "type": "string"},
        {"name": "tags", "type": "bytes2[]"},
    ],
}
ABI = ContractAbi.from_json(
    [
        function("transfer", "address", "uint256"),
        function("one", "uint256"),
        function("signed", "int256"),
        function("tiny", "uint8"),
        function("flag", "bool"),
        function("word", "bytes4"),
        function("blob", "bytes"),
        function("say", "string"),
        function("back", "function"),
        function("list", "uint8[]"),
        function("pair", "address[2]"),
        function("none"),
        function("set", "uint256"),
        function("set", "int256"),
        function("set", "string"),
        function("set", "uint256", "uint256"),
        {"type": "function", "name": "meet", "inputs": [PERSON], "outputs": []},
    ]
)


def arguments(text: str) -> tuple[Any, ...]:
    return parse_call(text, ABI).arguments


def test_a_call_is_shown_in_echidnas_style() -> None:
    """Arguments after commas, members after commas and spaces, shortest addresses, bytes as hex."""
    types = tuple(
        map(parse_type_text, ("uint256", "bool", "string", "address", "uint8[]", "(int8,bytes2)", "bytes", "function"))
    )
    call = Function("f", Tuple(types))
    data = call.encode_call((1, True, 'a"b', 0x10000, [1, 2], (-3, b"\x00\xff"), b"", bytes(24)))
    assert format_call(call, data) == f'f(1,true,"a\\"b",0x10000,[1, 2],(-3, 0x00ff),0x,0x{"00" * 24})'


def test_calldata_that_fits_nothing_is_shown_as_bounded_hex() -> None:
    """Unknown selectors are the fallback's; broken arguments and long data are cut."""
    transfer = ABI.by_signature["transfer(address,uint256)"]
    assert format_call(transfer, transfer.selector + b"\x01") == "transfer(0x01)"
    assert format_calldata(ABI, transfer.encode_call((5, 6))) == "transfer(0x5,6)"
    assert format_calldata(ABI, b"\x01\x02") == "*fallback*(0x0102)"
    assert format_calldata(None, b"") == "*fallback*(0x)"
    assert format_raw(bytes(100)) == f"0x{'00' * 64}... (100 bytes)"


def test_strings_cannot_disturb_a_terminal() -> None:
    """Control and invisible characters and raw bytes are escaped; letters are not."""
    assert quote('a\n\x1b[0m\udcff"\\ü\u202e') == r'"a\n\x1b[0m\xff\"\\ü\xe2\x80\xae"'


@given(st.binary(max_size=60))
def test_any_string_is_read_back(data: bytes) -> None:
    """Quoting and reading are inverse for all bytes."""
    text = data.decode("utf-8", "surrogateescape")
    shown = format_value(String(), text)
    assert arguments(f"say({shown})") == (text,)
    assert shown.isprintable()


@pytest.mark.parametrize(
    "types", ["uint8,int256,bool", "address,bytes3,bytes", "string[],function", "(int8,(bool)[2])[]"]
)
@pytest.mark.parametrize("seed", range(25))
def test_what_is_shown_is_read_back(types: str, seed: int) -> None:
    """parse_call is the inverse of format_call."""
    inputs = parse_type_text(f"({types})")
    assert isinstance(inputs, Tuple)
    call = Function("f", inputs)
    data = call.encode_call(generate_arguments(inputs.members, random.Random(seed), EmptyDictionary()))
    assert parse_call(format_call(call, data), ContractAbi((call,))).encode() == data


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("one(5)", 5),
        (" one ( 5 ) ", 5),
        ("one(1_000)", 1000),
        ("one(0xff)", 255),
        ("one(1e18)", 10**18),
        ("one(1.5e18)", 15 * 10**17),
        ("one(1 ether)", 10**18),
        ("one(0.25 ether)", 25 * 10**16),
        ("one(3 gwei)", 3 * 10**9),
        ("one(2 days)", 172_800),
        ("signed(-5)", -5),
        ("signed(-0x10)", -16),
        ("signed(-1e3)", -1000),
        ("flag(true)", True),
        ("flag( false)", False),
        ("word(0x01020304)", b"\x01\x02\x03\x04"),
        ('word("ab")', b"ab\0\0"),
        ("blob(0x)", b""),
        ("blob(0x00ff)", b"\x00\xff"),
        ('blob(hex"00ff")', b"\x00\xff"),
        ('blob("it\'s")', b"it's"),
        (r"say('a\'b\x00\u00fc\n,)')", "a'b\0ü\n,)"),
        ("list([])", []),
        ("list([1, 2,3])", [1, 2, 3]),
        ("pair([0x1,0xABcd])", [1, 0xABCD]),
        ('meet((7,"x",[0x0102]))', (7, "x", [b"\x01\x02"])),
        ('meet({7,"x",[]})', (7, "x", [])),
        ('meet({ name: "x", tags: [], age: 7 })', (7, "x", [])),
        ("one(?)", Wildcard()),
        ("list([1,?])", [1, Wildcard()]),
        ("one(12...)", Wildcard("12")),
    ],
)
def test_each_form_is_read(text: str, value: object) -> None:
    """The table of the parser's documentation."""
    assert arguments(text) == (value,)


def test_the_wildcards_of_a_call_are_marked() -> None:
    """An elided literal keeps its prefix; such a call has no calldata yet."""
    call = parse_call("transfer(0xABcd..., ?)", ABI)
    assert call.arguments == (Wildcard("abcd"), Wildcard())
    assert call.has_wildcards
    with pytest.raises(AbiError, match="wildcards"):
        call.encode()
    assert not parse_call("none()", ABI).has_wildcards


def test_overloads_are_told_apart_by_their_arguments() -> None:
    """By count, by form, by range; else the types are to be written."""
    assert parse_call("set(1,2)", ABI).function.signature == "set(uint256,uint256)"
    assert parse_call("set(-1)", ABI).function.signature == "set(int256)"
    assert parse_call('set("1")', ABI).function.signature == "set(string)"
    with pytest.raises(AbiError, match=r"may mean each of set\(uint256\), set\(int256\); write the types first"):
        parse_call("set(1)", ABI)
    assert parse_call("set(int256)(1)", ABI).function.signature == "set(int256)"
    assert parse_call("set( uint256, uint256 ) (1, 2)", ABI).encode()[:4] == ABI.overloads("set")[3].selector


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at position 0: the name of a function"),
        ("5()", "name of a function"),
        ("transfre(1,2)", "no function 'transfre'; did you mean 'transfer'?"),
        ("zzzzzz()", "known are back"),
        ("one", r"one\(uint256\): at position 3: '\(' expected, but the text ends"),
        ("one()", r"1 values, \(uint256\) expected"),
        ("one(1", "but the text ends"),
        ("one(1,2)", "has 1 members"),
        ("one(1) x", "the end of the call expected, found 'x'"),
        ("transfer(0x1)", r"',' and 1 more \(uint256 p1\)"),
        ("transfer(1, 2)", "address, 0x and 1 to 40 hex digits"),
        ("transfer(0x" + "1" * 41 + ",1)", "1 to 40 hex digits"),
        ("one(-1)", "uint256, a whole number of 0.."),
        ("one(1.5)", "whole number"),
        ("one(1e101)", "whole number"),
        ("one(1e999999999)", "as in 5, -5, 0xff"),
        ("tiny(256)", "a whole number of 0..255 expected"),
        ("one(abc)", "position 4: uint256, as in 5"),
        ("one(1 parsec)", "expected, found 'parsec"),
        ("flag(1)", "true or false"),
        ("word(0x0102)", "0x and 8 hex digits"),
        ('word("abcde")', "at most 4 bytes"),
        ("blob(0x0)", "even number"),
        ("blob(5)", "even number"),
        ("say(5)", "a string in quotes"),
        ('say("a', "closing quote"),
        (r'say("\q")', "escapes"),
        ("back(0x00)", "48 hex digits"),
        ("list(1)", r"an array of uint8, as in \[a, b\]"),
        ("list([1", "',' or ']'"),
        ("pair([0x1])", "2 elements; there are 1"),
        ("meet(5)", "a struct"),
        ("meet({age: 1})", "the members name, tags too"),
        ("meet({agee: 1})", "one of the members age, name, tags"),
        ("meet({age: 1, age: 2})", "one of the members name, tags"),
        ("set(true)", "fit none of"),
        ("one(" + "1" * 2_000_000 + ")", "at most 1048576"),
    ],
)
def test_an_error_names_the_position_and_the_allowed_form(text: str, message: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(AbiError, match=message):
        parse_call(text, ABI)


names = st.sampled_from(["one", "say", "meet", "set", "list", "blob", "word", "pair"])


@given(names, st.text(alphabet="()[]{}0x19ae?.,:\"'\\ -_unms", max_size=25))
def test_any_text_is_a_call_or_an_abi_error(name: str, rest: str) -> None:
    """Nothing but AbiError is raised, and what is read can be encoded unless it has wildcards."""
    try:
        call = parse_call(f"{name}({rest}", ABI)
    except AbiError:
        return
    if not call.has_wildcards:
        call.encode()
