"""Sequences from files that people write, and from other programs' files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from simulator.abi.contract import ContractAbi
from simulator.corpus.echidna_json import render_sequence
from simulator.corpus.forge_json import render_forge_sequence
from simulator.corpus.medusa_json import render_medusa_sequence
from simulator.corpus.transaction_list import Recipient, parse_sequences, read_sequences
from simulator.errors import CorpusError
from simulator.transaction import Transaction

TARGET, OTHER, SENDER, SOMEBODY = (bytes([number]) * 20 for number in (1, 2, 3, 4))
AMOUNT = {"name": "a", "type": "uint256"}
DEPOSIT = {"type": "function", "name": "deposit", "inputs": [AMOUNT], "stateMutability": "payable"}
ABI = ContractAbi.from_json([DEPOSIT])
DATA = ABI.functions[0].encode_call([100])
RECIPIENT = Recipient(TARGET, ABI, SENDER, 1_000_000, lambda address: ABI if address == TARGET else None)


def parsed(document: object) -> tuple[tuple[Transaction, ...], ...]:
    return parse_sequences(json.dumps(document).encode(), "seeds.json", RECIPIENT)


def test_what_is_left_out_is_the_fuzzed_contract_and_the_first_sender() -> None:
    """The shortest transaction is a call as people write it."""
    assert parsed([{"call": "deposit(100)"}]) == ((Transaction(SENDER, TARGET, DATA, gas=1_000_000),),)


def test_every_key_counts_and_those_of_nodes_are_ignored() -> None:
    """As a transaction comes from a node, with the delays that only lists have."""
    node = {"from": "0x" + SOMEBODY.hex(), "to": "0x" + OTHER.hex(), "input": "0x1234", "value": "0xa", "hash": "0x1"}
    call = Transaction(SOMEBODY, OTHER, b"\x12\x34", b"\x0a", 5, 6, 1_000_000)
    assert parsed([{**node, "seconds": 5, "blocks": "0x6"}]) == ((call,),)
    assert parsed([[{**node, "seconds": 5, "blocks": 6}], []]) == ((call,), ())


def test_broadcasts_of_scripts_are_read_without_creations() -> None:
    """`run-latest.json` of forge."""
    call = {"from": "0x" + SOMEBODY.hex(), "to": "0x" + OTHER.hex(), "input": "0x" + DATA.hex(), "value": "0x0"}
    document = {"transactions": [{"transaction": {"from": call["from"], "input": "0x60"}}, {"transaction": call}]}
    assert [each.to for each in parsed(document)[0]] == [OTHER]


@pytest.mark.parametrize("form", ["echidna", "medusa", "forge", "gzip"])
def test_files_of_other_fuzzers_are_recognised(form: str) -> None:
    """By their content."""
    sequence = (Transaction(SENDER, TARGET, DATA, gas=12_500_000),)
    render = {
        "echidna": lambda: render_sequence(sequence, RECIPIENT.abi_of),
        "medusa": lambda: render_medusa_sequence(sequence, RECIPIENT.abi_of),
        "forge": lambda: render_forge_sequence(sequence),
        "gzip": lambda: gzip.compress(render_forge_sequence(sequence)),
    }
    assert parse_sequences(render[form](), "seeds.json", RECIPIENT) == (sequence,)


def test_calls_of_the_fuzzed_contract_come_home(tmp_path: Path) -> None:
    """From an address that only another chain knows; with no more gas than the campaign gives."""
    path = tmp_path / "seeds.json"
    path.write_bytes(render_forge_sequence((Transaction(SENDER, OTHER, DATA), Transaction(SENDER, OTHER, b"\x99"))))
    ((first, second),) = read_sequences(path, RECIPIENT)
    assert (first.to, second.to, first.gas) == (TARGET, TARGET, 1_000_000)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "seeds.json: not JSON"),
        (b"7", "seeds.json: must be a JSON array of transactions"),
        (b'{"transactions": 7}', "seeds.json: must be a JSON array of transactions"),
        (b"[7]", "seeds.json: call 1: must be an object"),
        (b"[[{}], 7]", "seeds.json: sequence 1: call 1: must have `call`"),
        (b'[{"call": "give(1)"}]', "seeds.json: call 1: call: "),
        (b'[{"call": "deposit(?)"}]', "seeds.json: call 1: call: .*wildcards"),
        (b'[{"call": 7}]', "seeds.json: call 1: call: must be text"),
        (b'[{"data": "0x1", "to": "0x12"}]', "seeds.json: call 1: to: must be 0x and 40 hex digits"),
        (b'[{"data": "0x12", "value": -1}]', "seeds.json: call 1: value: must be a number"),
    ],
)
def test_mistakes_are_told_with_their_place(content: bytes, message: str) -> None:
    """File, sequence, call, key and the allowed form."""
    with pytest.raises(CorpusError, match=message):
        parse_sequences(content, "seeds.json", RECIPIENT)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    """Folders and pipes are not waited for."""
    with pytest.raises(CorpusError, match=r"not a regular file|cannot be read"):
        read_sequences(tmp_path, RECIPIENT)
