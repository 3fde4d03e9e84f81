"""JSON and TOML: paths, guessed and named types, and objects that are written. Values are those of forge 1.7."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.abi.codec import decode, encode
from simulator.abi.types import Value, parse_type_text
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import members_of
from simulator.cheatcodes.documents.json_paths import select
from simulator.cheatcodes.documents.trees import MAX_TEXT, encode_guessed, parse_json
from tests.support.cheatcode_bench import Bench, reason

ADDRESS = 0x7109709ECFA91A80626FF3989D68F67F5B1DD12D
SHOP = '{"shop": {"items": [{"id": 1, "tags": ["a", "b"]}, {"id": 2}], "open hours": 9}}'


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$.shop.items[0].id", [1]),
        (".shop.items[0].id", [1]),
        (".shop.items[-1].id", [2]),
        (".shop.items[*].id", [1, 2]),
        (".shop.items[0:1].id", [1]),
        (".shop.items[5]", []),
        (".shop['open hours']", [9]),
        ('.shop["open hours"]', [9]),
        ("..id", [1, 2]),
        (".shop.items[0].tags.*", ["a", "b"]),
        (".nothing.at.all", []),
        ("..tags[1]", ["b"]),
    ],
)
def test_a_path_leads_to_values(path: str, found: list[Any]) -> None:
    """In the order of the document, none where nothing is."""
    assert select(parse_json(SHOP), path) == found


@pytest.mark.parametrize("path", ["", "$", "."])
def test_the_root_has_three_names(path: str) -> None:
    """Nothing, a dollar, a dot."""
    assert select(parse_json(SHOP), path) == [json.loads(SHOP)]


@pytest.mark.parametrize("path", ["a", "$a", ".a[", ".a[x]", ".a[?(@.b)]", ".a..", "." * 5000])
def test_what_is_no_path_is_refused(path: str) -> None:
    """With the place where it stops being one."""
    with pytest.raises(CheatcodeError, match="failed selecting from JSON"):
        select(parse_json("{}"), path)


@pytest.mark.parametrize(
    ("text", "path", "types", "values"),
    [
        ('{"b":1,"a":2}', "$", "((uint256,uint256))", ((2, 1),)),
        ('{"b":1,"a":2}', ".b", "(uint256)", (1,)),
        ("[1,2,3]", "$", "(uint256[])", ((1, 2, 3),)),
        ("[]", "$", "(uint256[])", ((),)),
        ('["x","y"]', "$", "(string[])", (("x", "y"),)),
        ("[1,-1]", "$", "(int256[])", ((1, -1),)),
        ("null", "$", "(bytes32)", (bytes(32),)),
        ('"0x1234"', "$", "(bytes)", (b"\x12\x34",)),
        ('"0x123"', "$", "(bytes)", (b"\x01\x23",)),
        (f'"{ADDRESS:#042x}"', "$", "(address)", (ADDRESS,)),
        (f'"0x{7:064x}"', "$", "(bytes32)", ((7).to_bytes(32, "big"),)),
        ('"0xyz"', "$", "(string)", ("0xyz",)),
        ("1e3", "$", "(uint256)", (1000,)),
        ("-3", "$", "(int256)", (-3,)),
        (str(2**256 - 1), "$", "(uint256)", (2**256 - 1,)),
        ('[{"x":1},{"x":2}]', "[*].x", "(uint256[])", ((1, 2),)),
        ('{"a":[[1],[2,3]]}', ".a", "(uint256[][])", (((1,), (2, 3)),)),
        ('{"a":true,"b":"0x00"}', "$", "((bool,bytes))", ((True, b"\0"),)),
        ('[{"n":"one","v":1},{"n":"two","v":2}]', "$", "((string,uint256)[])", ((("one", 1), ("two", 2)),)),
    ],
)
def test_types_are_guessed(bench: Bench, text: str, path: str, types: str, values: tuple[Any, ...]) -> None:
    """What `abi.decode` of these types understands; members of objects come in the order of their names."""
    encoded = bench.vm("parseJson(string,string)", text, path)
    assert encoded == encode(members_of(types), values)


def test_nothing_found_is_encoded_as_nothing(bench: Bench) -> None:
    """So that the caller can tell."""
    assert bench.vm("parseJson(string,string)", "{}", ".a") == b""


@pytest.mark.parametrize(
    ("signature", "text", "value"),
    [
        ("parseJsonUint(string,string)", '"0x10"', 16),
        ("parseJsonUint(string,string)", "1e3", 1000),
        ("parseJsonUint(string,string)", '"1.5 ether"', 15 * 10**17),
        ("parseJsonInt(string,string)", "-1", -1),
        ("parseJsonBool(string,string)", '"true"', True),
        ("parseJsonBool(string,string)", "false", False),
        ("parseJsonString(string,string)", "5", "5"),
        ("parseJsonString(string,string)", "1.50", "1.50"),
        ("parseJsonString(string,string)", r'"a\"b"', 'a"b'),
        ("parseJsonString(string,string)", "null", "null"),
        ("parseJsonStringArray(string,string)", '[1,"b",true]', ("1", "b", "true")),
        ("parseJsonAddressArray(string,string)", f'["{ADDRESS:#042x}"]', (ADDRESS,)),
        ("parseJsonBytes32(string,string)", f'"0x{7:064x}"', (7).to_bytes(32, "big")),
        ("parseJsonBytesArray(string,string)", '["0x01","0x"]', (b"\1", b"")),
        ("parseJsonKeys(string,string)", '{"b":1,"a":2}', ("b", "a")),
        ("keyExistsJson(string,string)", '{"a":null}', True),
    ],
)
def test_a_value_is_read_as_its_type(bench: Bench, signature: str, text: str, value: object) -> None:
    """Texts may spell numbers, and numbers stand for texts."""
    assert bench.vm(signature, text, "$") == value


@pytest.mark.parametrize(
    ("signature", "text", "path", "message"),
    [
        ("parseJsonUint(string,string)", "-1", "$", 'failed parsing "-1" as type `uint256`'),
        ("parseJsonUint(string,string)", "1.0", "$", 'failed parsing "1.0" as type `uint256`'),
        ("parseJsonUint(string,string)", "[1]", "$", "expected uint256, found array"),
        ("parseJsonString(string,string)", "{}", "$", "expected string, found JSON object"),
        ("parseJsonUintArray(string,string)", "1", "$", "expected uint256[], found '1'"),
        ("parseJsonUint(string,string)", "{}", ".a", 'path ".a" must return exactly one JSON value'),
        ("parseJsonKeys(string,string)", "[]", "$", 'JSON value at "$" is not an object'),
        ("parseJson(string,string)", "1.5", "$", "unsupported JSON number: 1.5"),
        ("parseJson(string,string)", "1e999999999", "$", "unsupported JSON number"),
        ("parseJson(string,string)", "NaN", "$", "failed parsing JSON"),
        ("parseJson(string,string)", "{'a':1}", "$", "failed parsing JSON"),
        ("parseJson(string,string)", "", "$", "failed parsing JSON"),
        ("parseJson(string,string)", "[" * 100 + "]" * 100, "$", "nested more than 64 deep"),
        ("parseJson(string,string)", "[" * 100_000, "$", "nested too deeply"),
        ("parseJson(string,string)", " " * MAX_TEXT + "1", "$", "more than 1048576 characters"),
        ("parseToml(string,string)", "a=[", "$", "failed parsing TOML"),
        ("parseToml(string,string)", "a=nan", ".a", "unsupported JSON number"),
    ],
)
def test_what_cannot_be_read_says_why(bench: Bench, signature: str, text: str, path: str, message: str) -> None:
    """A revert that names text, type or path."""
    assert message in reason(bench.raw(signature, text, path))


def test_toml_is_read_as_json_is(bench: Bench) -> None:
    """Tables are objects, dates are texts."""
    text = 'b = 1\na = "x"\nday = 2020-01-01\nat = 1979-05-27T07:32:00Z\n[t]\nlist = [1, 2]\n'
    assert bench.vm("parseTomlUint(string,string)", text, ".b") == 1
    assert bench.vm("parseTomlString(string,string)", text, ".day") == "2020-01-01"
    assert bench.vm("parseTomlString(string,string)", text, ".at") == "1979-05-27T07:32:00Z"
    assert bench.vm("parseTomlUintArray(string,string)", text, ".t.list") == (1, 2)
    assert bench.vm("parseTomlKeys(string,string)", text, "$") == ("b", "a", "day", "at", "t")
    assert bench.vm("keyExistsToml(string,string)", text, ".t.none") is False


def test_objects_grow_under_their_key(bench: Bench) -> None:
    """Sorted by name; what is too large for a number is a text, and a text that is an object becomes one."""
    bench.vm("serializeUint(string,string,uint256)", "o", "z", 5)
    bench.vm("serializeString(string,string,string)", "o", "a", 'h"i')
    bench.vm("serializeBool(string,string,bool)", "o", "t", True)
    bench.vm("serializeAddress(string,string,address)", "o", "ad", ADDRESS)
    bench.vm("serializeUintToHex(string,string,uint256)", "o", "hex", 255)
    bench.vm("serializeUint(string,string,uint256[])", "o", "arr", (1, 2**64))
    bench.vm("serializeInt(string,string,int256)", "o", "neg", -4)
    inner = bench.vm("serializeBytes(string,string,bytes)", "p", "k", b"\1\2")
    assert inner == '{"k":"0x0102"}'
    assert bench.vm("serializeString(string,string,string)", "o", "in", '{"k":1}') == (
        '{"a":"h\\"i","ad":"0x7109709ECfa91a80626fF3989D68f67F5b1DD12D","arr":[1,"18446744073709551616"],'
        '"hex":"0xff","in":{"k":1},"neg":-4,"t":true,"z":5}'
    )
    assert bench.vm("serializeJson(string,string)", "o", '{"q":1}') == '{"q":1}'
    assert bench.vm("serializeUint(string,string,uint256)", "o", "w", 2) == '{"q":1,"w":2}'


def test_objects_are_undone_like_any_state(bench: Bench) -> None:
    """The next sequence begins with none."""
    mark = bench.machine.mark()
    bench.vm("serializeUint(string,string,uint256)", "o", "a", 1)
    bench.machine.rollback(mark)
    assert bench.vm("serializeUint(string,string,uint256)", "o", "b", 1) == '{"b":1}'


ORDER = "Order(uint256 id,Item[] items,address to)Item(string name,bool sold)"


@pytest.mark.parametrize(
    ("text", "description", "types", "values"),
    [
        ('{"a":1,"b":"x"}', "S(uint256 a,string b)", "((uint256,string))", ((1, "x"),)),
        ('{"b":"x","a":"0x01"}', "S(uint256 a, string b)", "((uint256,string))", ((1, "x"),)),
        ('[1,"x"]', "(uint256,string)", "((uint256,string))", ((1, "x"),)),
        ("[1,2]", "uint256[2]", "(uint256[2])", ((1, 2),)),
        (
            '{"id":5,"to":"0x0000000000000000000000000000000000000007","items":[{"name":"n","sold":true}]}',
            ORDER,
            "((uint256,(string,bool)[],address))",
            ((5, (("n", True),), 7),),
        ),
    ],
)
def test_types_may_be_described(bench: Bench, text: str, description: str, types: str, values: tuple[Any, ...]) -> None:
    """As Solidity or EIP-712 write them; names of structs are looked up in the object."""
    assert bench.vm("parseJsonType(string,string)", text, description) == encode(members_of(types), values)


def test_an_array_of_described_values_is_read(bench: Bench) -> None:
    """Below a path."""
    encoded = bench.vm("parseJsonTypeArray(string,string,string)", '{"l":[{"a":1},{"a":2}]}', ".l", "S(uint8 a)")
    assert encoded == encode(members_of("((uint8)[])"), (((1,), (2,)),))


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ("nothing", "valid Solidity type"),
        ("S(uint256)", "members of S must be such as"),
        ("S(uint999 a)", "type description"),
        ("S(S a)", "at most 1000 members, 16 deep"),
        (
            "S(T a,T b,T c)T(U a,U b,U c,U d,U e)U(V a,V b,V c,V d,V e)V(W a,W b,W c,W d,W e)W(uint8 a,bool b)",
            "1000 members",
        ),
        ("S(uint256 b)", 'field "b" not found'),
        ("uint256", "expected uint256, found JSON object"),
        ("(uint256,bool)[2]", "found JSON object"),
        ("x" * 5000, "at most 4096 characters"),
    ],
)
def test_a_description_that_does_not_fit_says_why(bench: Bench, description: str, message: str) -> None:
    """The text or the object is at fault."""
    assert message in reason(bench.raw("parseJsonType(string,string)", '{"a":1}', description))


NUMBERS = st.integers(0, 2**256 - 1)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40).filter(lambda text: not text.startswith("0x"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(st.tuples(NUMBERS, TEXTS, st.booleans(), st.lists(NUMBERS, max_size=3)), max_size=3))
def test_guessed_encodings_decode(records: list[tuple[int, str, bool, list[int]]]) -> None:
    """Records of a JSON text are the tuples that Solidity decodes, whatever is in them."""
    document = json.dumps([dict(zip("abcd", record, strict=True)) for record in records])
    kind = parse_type_text("(uint256,string,bool,uint256[])[]")
    expected = tuple((number, text, flag, tuple(numbers)) for number, text, flag, numbers in records)
    assert decode((kind,), encode_guessed([parse_json(document)])) == (expected,)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=30), st.text(max_size=20))
def test_no_text_and_no_path_lead_to_another_error(text: str, path: str) -> None:
    """A value, or an error of the cheatcode's."""
    try:
        found = encode_guessed(select(parse_json(text), path))
    except CheatcodeError:
        found = b""
    assert len(found) % 32 == 0


PERSON = "P(string name,address wallet,uint256 n)"


@pytest.mark.parametrize(
    ("description", "types", "value", "text"),
    [
        (PERSON, "(string,address,uint256)", ("x", 5, 7), f'{{"name":"x","wallet":"{5:#042x}","n":7}}'),
        ("uint256[]", "uint256[]", (5, (1 << 256) - 1), f'[5,"{(1 << 256) - 1}"]'),
        ("int8", "int8", -3, "-3"),
        ("bytes", "bytes", b"hey", '"0x686579"'),
        ("string", "string", "hey", '"hey"'),
        ("bool", "bool", True, "true"),
        ("(bool,int8)", "(bool,int8)", (True, 1), "[true,1]"),
    ],
)
def test_encoded_values_are_written_by_their_types(
    bench: Bench, description: str, types: str, value: Value, text: str
) -> None:
    """Alone, and as a member of an object that is sorted while they are not."""
    data = encode((parse_type_text(types),), (value,))
    assert bench.vm("serializeJsonType(string,bytes)", description, data) == text
    bench.vm("serializeUint(string,string,uint256)", "o", "z", 1)
    written = bench.vm("serializeJsonType(string,string,string,bytes)", "o", "key", description, data)
    assert written == f'{{"key":{text},"z":1}}'
