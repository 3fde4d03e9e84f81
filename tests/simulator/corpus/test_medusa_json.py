"""medusa's files."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.codec import decode
from simulator.abi.contract import ContractAbi
from simulator.abi.types import Array, FixedBytes, String, UInt
from simulator.corpus.medusa_json import parse_medusa_sequence, relocate, render_medusa_sequence
from simulator.errors import CorpusError
from simulator.transaction import Transaction, address_bytes

# Written for this test after medusa 1.5's format.
ELEMENT: dict[str, Any] = {
    "call": {
        "from": "0x0000000000000000000000000000000000010000",
        "to": "0xa647ff3c36cfab592509e13860ab8c4f28781a66",
        "nonce": 0,
        "value": "0xde0b6b3a7640000",
        "gasLimit": 12500000,
        "gasPrice": "0x1",
        "gasFeeCap": "0x0",
        "gasTipCap": "0x0",
        "data": "0x1e26fd330000000000000000000000000000000000000000000000000000000000000001",
        "dataAbiValues": {"methodName": "setBool", "methodSignature": "setBool(bool)", "inputValues": [True]},
        "AccessList": None,
        "SkipNonceChecks": False,
        "SkipFromEOACheck": False,
    },
    "blockNumberDelay": 23885,
    "blockTimestampDelay": 76338,
}
TARGET = bytes.fromhex("a647ff3c36cfab592509e13860ab8c4f28781a66")


def values(signature: str, nodes: list[Any]) -> dict[str, Any]:
    return {"methodName": signature.split("(")[0], "methodSignature": signature, "inputValues": nodes}


def content(**changes: Any) -> bytes:
    return json.dumps([ELEMENT | {"call": ELEMENT["call"] | changes}]).encode()


def test_a_call_becomes_a_transaction() -> None:
    """Sender, target, calldata, value, gas and delays are taken over."""
    assert parse_medusa_sequence(content(), "m") == (
        Transaction(
            sender=address_bytes(0x10000),
            to=TARGET,
            data=bytes.fromhex("1e26fd33") + (1).to_bytes(32, "big"),
            value=(10**18).to_bytes(8, "big"),
            seconds=76338,
            blocks=23885,
            gas=12_500_000,
        ),
    )


def test_targets_are_relocated() -> None:
    """Calls to medusa's addresses go to ours; other targets stay."""
    ours = b"\x07" * 20
    sequence = parse_medusa_sequence(content(), "m")
    assert relocate(sequence, {TARGET: ours})[0].to == ours
    assert relocate(sequence, {})[0].to == TARGET


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b"{}", "m: must be a JSON array"),
        (b"[[]]", "m: call 1: must be an object"),
        (content(to=None), "creations"),
        (content(**{"from": "0x1"}), "from: must be 0x and 40"),
        (content(**{"from": "0x0001"}), "from: must be 0x and 40"),
        (content(data="0x123", dataAbiValues=None), "data: must be"),
        (content(data=None, dataAbiValues={}), "dataAbiValues: must have a methodSignature"),
        (content(data=None, dataAbiValues=values("f(uint8)", ["256"])), "256"),
        (content(data=None, dataAbiValues=values("f(uint8)", [])), "0 values for f"),
        (content(data=None, dataAbiValues=values("f", [])), "dataAbiValues"),
        (
            content(data=None, dataAbiValues=values("f((uint8,bool))", [{"b": True, "a": "1"}])),
            "no parameter is called",
        ),
        (content(value="0x"), "value: must be"),
        (content(gasLimit=-5), "gasLimit"),
        (b"\xff", "not JSON"),
    ],
)
def test_malformed_files_are_refused_with_their_place(bad: bytes, message: str) -> None:
    """The error names file, call and field."""
    with pytest.raises(CorpusError, match=message):
        parse_medusa_sequence(bad, "m")


@given(st.sampled_from(["to", "from", "data", "value", "gasLimit"]), st.none() | st.integers() | st.text(max_size=70))
def test_any_field_is_read_or_refused(key: str, node: Any) -> None:
    """Nothing but CorpusError is raised."""
    try:
        parse_medusa_sequence(content(**{key: node}), "m")
    except CorpusError:
        return


ABI = ContractAbi.from_json(
    [
        {
            "type": "function",
            "name": "f",
            "inputs": [
                {
                    "name": "p",
                    "type": "tuple",
                    "components": [{"name": "b", "type": "int8"}, {"name": "a", "type": "address[]"}],
                },
                {"name": "t", "type": "string"},
                {"name": "d", "type": "bytes3"},
            ],
        }
    ]
)


def test_values_count_for_more_than_data() -> None:
    """As in medusa, whose users edit the values; members of structs are found by name."""
    written = values("f((int8,address[]),string,bytes3)", [{"a": ["0x" + "00" * 19 + "07"], "b": "-5"}, "?", "010203"])
    (call,) = parse_medusa_sequence(content(data="0xffffffff", dataAbiValues=written), "m", lambda _: ABI)
    assert call.data == ABI.functions[0].encode_call([[-5, [7]], "?", b"\1\2\3"])


def test_data_counts_where_the_order_of_members_is_unknown() -> None:
    """JSON objects have none."""
    written = values("f((int8,address[]),string,bytes3)", [{"a": [], "b": "-5"}, "", "010203"])
    (call,) = parse_medusa_sequence(content(data="0x12", dataAbiValues=written), "m")
    assert call.data == b"\x12"


def test_a_question_mark_is_a_value_to_choose() -> None:
    """The same one each time the file is read; in a text it is a question mark."""
    written = values("g(uint256,bytes8[],string)", ["?", ["?", "0102030405060708"], "?"])
    reads = [parse_medusa_sequence(content(data=None, dataAbiValues=written), "m")[0].data for _ in range(2)]
    number, words, text = decode((UInt(256), Array(FixedBytes(8)), String()), reads[0][4:])
    assert reads[0] == reads[1]
    assert isinstance(number, int)
    assert (words[1], text) == (bytes(range(1, 9)), "?")


SENDER = b"\1" * 20


@given(st.lists(st.tuples(st.integers(-128, 127), st.text(max_size=5), st.integers(0, 9), st.booleans()), max_size=4))
def test_what_is_written_is_read_back(parts: list[tuple[int, str, int, bool]]) -> None:
    """With names or without; waits join the delay of the next call."""
    function = ABI.functions[0]
    sequence = tuple(
        Transaction(SENDER, TARGET, function.encode_call([[b, [7, 8]], t, b"abc"]), b"\5", wait, 2 * wait)
        for b, t, wait, _ in parts
    )
    waits = Transaction(SENDER, b"", seconds=3, blocks=1)
    merged = tuple(msgspec.structs.replace(call, seconds=call.seconds + 3, blocks=call.blocks + 1) for call in sequence)
    written = tuple(each for call in sequence for each in (waits, call))
    assert parse_medusa_sequence(render_medusa_sequence(written, lambda _: ABI), "m", lambda _: ABI) == merged
    assert parse_medusa_sequence(render_medusa_sequence(written, lambda _: None), "m") == merged


def test_calldata_that_is_no_encoding_is_kept() -> None:
    """Mutated calls are written without values."""
    call = Transaction(SENDER, TARGET, ABI.functions[0].selector + b"\1\2\3")
    (node,) = json.loads(render_medusa_sequence((call,), lambda _: ABI))
    assert node["call"]["dataAbiValues"] is None
    assert parse_medusa_sequence(json.dumps([node]).encode(), "m", lambda _: ABI) == (call,)
