"""medusa's files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.corpus.medusa_json import parse_medusa_sequence, relocate
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
        (content(data="0x123"), "data: must be"),
        (content(data=None), "dataAbiValues"),
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
