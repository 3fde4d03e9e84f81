"""Echidna's JSON, both ways."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import selector
from simulator.corpus.echidna_json import parse_sequence, render_sequence
from simulator.errors import CorpusError
from simulator.transaction import Sequence, Transaction, address_bytes, wei_bytes

TARGET = bytes.fromhex("00a329c0648769a73afac7f9381e08fb43dbea72")
SENDER = address_bytes(0x20000)
ZERO = "0x" + "0" * 64

TRANSFER = (
    b'[{"call":{"contents":["transfer",[{"contents":"0x0000000000000000000000000000000000020000","tag":"AbiAddress"},'
    b'{"contents":[256,"510"],"tag":"AbiUInt"}]],"tag":"SolCall"},'
    b'"delay":["0x000000000000000000000000000000000000000000000000000000000005caa0",'
    b'"0x00000000000000000000000000000000000000000000000000000000000030cd"],'
    b'"dst":"0x00a329c0648769A73afAc7F9381E08FB43dBEA72","gas":12500000,'
    b'"gasprice":"0x0000000000000000000000000000000000000000000000000000000000000000",'
    b'"src":"0x0000000000000000000000000000000000020000",'
    b'"value":"0x0000000000000000000000000000000000000000000000000000000000000000"}]'
)

TYPES = [
    "uint8",
    "int24",
    "bool",
    "address",
    "bytes3",
    "bytes",
    "string",
    "function",
    "uint256[]",
    "bytes2[2]",
    "string[][]",
]
COMPONENTS = [{"name": "a", "type": "uint8"}, {"name": "b", "type": "string"}]
INPUTS = [{"name": f"p{i}", "type": text} for i, text in enumerate(TYPES)] + [
    {"name": "s", "type": "tuple", "components": COMPONENTS},
    {"name": "t", "type": "tuple[]", "components": COMPONENTS},
]
ABI = ContractAbi.from_json(
    [
        {"type": "function", "name": "transfer", "inputs": [{"type": "address"}, {"type": "uint256"}], "outputs": []},
        {"type": "function", "name": "everything", "inputs": INPUTS, "outputs": []},
    ]
)
EVERYTHING = (
    200,
    -5,
    True,
    0xDEADBEEF,
    b"\x01\x02\xb4",
    b"\x0eH\xb40",
    "gr\u00fc\u00df \udcff",
    bytes(range(24)),
    [1, 2**256 - 1],
    [b"ab", b"\0\0"],
    [["x"], []],
    (7, "seven"),
    [(1, ""), (2, '"')],
)


def lookup(address: bytes) -> ContractAbi | None:
    return ABI if address == TARGET else None


def test_the_documented_sample_is_reproduced_byte_for_byte() -> None:
    """Reading the sample and writing it gives the same file."""
    sequence = parse_sequence(TRANSFER, "sample")
    (call,) = sequence
    assert call.data.hex() == "a9059cbb" + f"{0x20000:064x}" + f"{510:064x}"
    assert (call.to, call.sender, call.seconds, call.blocks) == (TARGET, SENDER, 0x5CAA0, 0x30CD)
    assert render_sequence(sequence, lookup) == TRANSFER


def test_every_type_has_its_form() -> None:
    """The arguments are written as hevm's values and read back to the same calldata."""
    data = ABI.by_signature[ABI.overloads("everything")[0].signature].encode_call(EVERYTHING)
    sequence = (Transaction(sender=SENDER, to=TARGET, data=data),)
    content = render_sequence(sequence, lookup)
    arguments = json.loads(content)[0]["call"]["contents"][1]
    assert arguments[:8] == [
        {"contents": [8, "200"], "tag": "AbiUInt"},
        {"contents": [24, "-5"], "tag": "AbiInt"},
        {"contents": True, "tag": "AbiBool"},
        {"contents": "0x00000000000000000000000000000000DeaDBeef", "tag": "AbiAddress"},
        {"contents": [3, '"\\SOH\\STX\\180"'], "tag": "AbiBytes"},
        {"contents": '"\\SO\\&H\\180\\&0"', "tag": "AbiBytesDynamic"},
        {"contents": '"gr\\195\\188\\195\\159 \\255"', "tag": "AbiString"},
        {"contents": ["0x000102030405060708090a0b0c0d0e0f10111213", "0x14151617"], "tag": "AbiFunction"},
    ]
    assert arguments[9]["contents"][:2] == [2, {"contents": 2, "tag": "AbiBytesType"}]
    assert arguments[10]["contents"][0] == {"contents": {"tag": "AbiStringType"}, "tag": "AbiArrayDynamicType"}
    assert arguments[11] == {
        "contents": [{"contents": [8, "7"], "tag": "AbiUInt"}, {"contents": '"seven"', "tag": "AbiString"}],
        "tag": "AbiTuple",
    }
    assert arguments[12]["contents"][0] == {
        "contents": [{"contents": 8, "tag": "AbiUIntType"}, {"tag": "AbiStringType"}],
        "tag": "AbiTupleType",
    }
    assert parse_sequence(content, "file") == sequence


def test_calldata_without_a_matching_function_is_kept_raw() -> None:
    """Unknown targets, unknown selectors and damaged encodings become SolCalldata, and nothing is lost."""
    good = parse_sequence(TRANSFER, "sample")[0].data
    calls = tuple(
        Transaction(sender=SENDER, to=to, data=data)
        for to, data in [
            (SENDER, good),
            (TARGET, b""),
            (TARGET, b"\x01\x02\x03\x04"),
            (TARGET, good[:-1]),
            (TARGET, good + b"\0"),
            (TARGET, good[:5] + b"\x01" + good[6:]),
        ]
    )
    content = render_sequence(calls, lookup)
    assert {node["call"]["tag"] for node in json.loads(content)} == {"SolCalldata"}
    assert parse_sequence(content, "file") == calls


def test_a_wait_is_a_no_call_to_a_deployed_target() -> None:
    """A wait borrows the target of a neighbour, because Echidna refuses files that name undeployed ones."""
    call = parse_sequence(TRANSFER, "sample")[0]
    wait = Transaction(sender=SENDER, to=b"", seconds=5, blocks=1)
    content = render_sequence((wait, call, wait), lookup)
    nodes = json.loads(content)
    assert nodes[0]["call"] == {"tag": "NoCall"}
    assert {node["dst"] for node in nodes} == {"0x00a329c0648769A73afAc7F9381E08FB43dBEA72"}
    assert parse_sequence(content, "file") == (wait, call, wait)
    assert parse_sequence(render_sequence((wait,), lookup), "file") == (wait,)


def test_the_format_of_old_versions_is_read() -> None:
    """Keys with an underscore, gas as a hex string."""
    call = {"tag": "SolCall", "contents": ["f", [{"tag": "AbiInt", "contents": [8, "-1"]}]]}
    old = {
        "_call": call,
        "_src": "0x10000",
        "_dst": "0x" + TARGET.hex(),
        "_gas'": "0xbebc20",
        "_gasprice'": "0x0",
        "_value": "0x05",
        "_delay": ["0x1", "0x2"],
    }
    (read,) = parse_sequence(json.dumps([old]).encode(), "old")
    assert read == Transaction(
        sender=address_bytes(0x10000),
        to=TARGET,
        data=selector("f(int8)") + b"\xff" * 32,
        value=b"\x05",
        seconds=1,
        blocks=2,
        gas=12_500_000,
    )


transactions = st.builds(
    Transaction,
    sender=st.binary(min_size=20, max_size=20),
    to=st.just(TARGET) | st.binary(min_size=20, max_size=20),
    data=st.binary(max_size=100)
    | st.binary(max_size=70).map(lambda tail: selector("transfer(address,uint256)") + tail),
    value=st.integers(0, 2**256 - 1).map(wei_bytes),
    seconds=st.integers(0, 2**63 - 1),
    blocks=st.integers(0, 2**63 - 1),
    gas=st.integers(0, 2**63 - 1),
)
waits = st.builds(Transaction, sender=st.binary(min_size=20, max_size=20), to=st.just(b""), seconds=st.integers(0, 9))


@settings(deadline=None)
@given(st.lists(transactions | waits, max_size=6).map(tuple))
def test_any_sequence_survives_a_round_trip(sequence: Sequence) -> None:
    """Reading what was written gives the sequence back, whatever its calldata."""
    assert parse_sequence(render_sequence(sequence, lookup), "file") == sequence


def changed(**changes: Any) -> bytes:
    return json.dumps([json.loads(TRANSFER)[0] | changes]).encode()


def calling(*arguments: Any) -> bytes:
    return changed(call={"tag": "SolCall", "contents": ["f", list(arguments)]})


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"tag": "AbiBool", "contents": True}
    for _ in range(depth):
        node = {"tag": "AbiTuple", "contents": [node]}
    return node


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "file: not JSON"),
        (b"\xff", "file: not JSON"),
        (b"[" * 100_000, "file: not JSON"),
        (b"{}", "JSON array"),
        (b"[5]", "transaction 1: must be an object"),
        (b"[{}]", "transaction 1: the keys call, src"),
        (b"[" + b",".join([b"5"] * 10_001) + b"]", "at most 10000"),
        (changed(src="0x" + "f" * 41), "transaction 1: src: must be an address"),
        (changed(dst=5), "dst: must be an address"),
        (changed(gas=-1), "gas: must be"),
        (changed(gas=True), "gas: must be"),
        (changed(gas=1e9), "gas: must be"),
        (changed(value="0x1" + "0" * 64), "value: must be"),
        (changed(value="five"), "value: must be"),
        (changed(delay=["0x0"]), "delay must be"),
        (changed(delay=["0x0", ZERO[:10] + "f" * 56]), "delay: must be"),
        (changed(call={"tag": "SolCreate", "contents": '""'}), "SolCreate is not supported"),
        (changed(call={"tag": "Other"}), "unknown call 'Other'"),
        (changed(call=None), "call: must be an object"),
        (changed(call={"tag": "SolCall", "contents": ["f"]}), r"must be \[name"),
        (changed(call={"tag": "SolCalldata", "contents": "0x00"}), "double quote"),
        (changed(call={"tag": "SolCalldata", "contents": '"' + "a" * (1 << 20) + 'a"'}), "bytes of calldata"),
        (calling({"tag": "AbiUInt", "contents": [8, "256"]}), "call f: argument 1: 256 is out of range"),
        (calling({"tag": "AbiUInt", "contents": [7, "1"]}), "not 7"),
        (calling({"tag": "AbiUInt", "contents": [8, "x"]}), "decimal string"),
        (calling({"tag": "AbiBytes", "contents": [2, '"abc"']}), "exactly 2 bytes"),
        (calling({"tag": "AbiBytes", "contents": [True, '"a"']}), "1..32"),
        (calling({"tag": "AbiBool", "contents": 1}), "no argument"),
        (calling({"tag": "AbiString", "contents": "unquoted"}), "call f, argument 1: a Haskell string"),
        (calling({"tag": "AbiArrayDynamic", "contents": [{"tag": "AbiBoolType"}, [nested(1)]]}), "declares bool"),
        (calling({"tag": "AbiArray", "contents": [2, {"tag": "AbiBoolType"}, [nested(0)]]}), "declares 2 elements"),
        (calling({"tag": "AbiArrayDynamic", "contents": [{"tag": "AbiOddType"}, []]}), "no type"),
        (calling(nested(40)), "nests deeper"),
    ],
)
def test_malformed_files_are_refused_with_their_place(content: bytes, message: str) -> None:
    """The error names file, transaction and field."""
    with pytest.raises(CorpusError, match=message) as caught:
        parse_sequence(content, "file")
    assert str(caught.value).startswith("file: ")


def test_a_signed_number_outside_its_width_wraps_around() -> None:
    """Echidna itself writes -256 for an int8."""
    (call,) = parse_sequence(calling({"tag": "AbiInt", "contents": [8, "-256"]}), "file")
    assert call.data == selector("f(int8)") + bytes(32)
    (call,) = parse_sequence(calling({"tag": "AbiInt", "contents": [8, "255"]}), "file")
    assert call.data == selector("f(int8)") + b"\xff" * 32


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["SolCall", "AbiTuple", "AbiUInt"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["tag", "contents", "call", "src"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(deadline=None)
@given(json_values, st.sampled_from(["call", "src", "dst", "gas", "value", "delay"]))
def test_any_json_in_any_field_is_read_or_refused(node: Any, key: str) -> None:
    """Nothing but CorpusError is raised."""
    try:
        parse_sequence(changed(**{key: node}), "file")
    except CorpusError:
        return


@pytest.mark.parametrize(
    ("node", "signature", "low"),
    [
        ({"tag": "AbiUInt", "contents": [8, "?"]}, "f(uint8)", 32),
        ({"tag": "AbiInt", "contents": [256, "?"]}, "f(int256)", 32),
        ({"tag": "AbiAddress", "contents": "?"}, "f(address)", 32),
        ({"tag": "AbiBool", "contents": "?"}, "f(bool)", 32),
        ({"tag": "AbiBytes", "contents": [4, "?"]}, "f(bytes4)", 32),
        ({"tag": "AbiString", "contents": "?"}, "f(string)", 64),
        ({"tag": "AbiArrayDynamic", "contents": [{"tag": "AbiBoolType"}, "?"]}, "f(bool[])", 64),
        ({"tag": "AbiArray", "contents": [2, {"tag": "AbiBoolType"}, "?"]}, "f(bool[2])", 64),
    ],
)
def test_a_question_mark_is_a_value_to_choose(node: dict[str, object], signature: str, low: int) -> None:
    """The same one each time the file is read. No value is written as a bare question mark."""
    file = sequence_with(node)
    (call,) = parse_sequence(file, "f")
    assert call.data[:4] == selector(signature)
    assert len(call.data) >= 4 + low
    assert parse_sequence(file, "f") == (call,)


def sequence_with(node: dict[str, object]) -> bytes:
    word, address = "0x0", "0x" + "01" * 20
    call = {"tag": "SolCall", "contents": ["f", [node]]}
    transaction = {"call": call, "delay": [word, word], "dst": address, "gas": 1, "src": address, "value": word}
    return json.dumps([transaction]).encode()
