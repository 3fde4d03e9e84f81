"""Sequences from a file that people or their programs wrote: lists of transactions, and the files of other fuzzers.

A list is a JSON array of transactions, which is one sequence, or an array of such arrays. A transaction is an object:

* `call`, text such as `deposit(100)` of the fuzzed contract, or `data` (also `input`), the calldata;
* `to` and `from` (also `sender`): addresses; left out, the fuzzed contract and the first sender;
* `value` in wei, and `seconds` and `blocks` that pass before the call. Numbers are JSON numbers or 0x texts.

Other keys, as nodes add them to transactions, are left alone. What else is read: the `run-*.json` that forge's
broadcasts leave, whose creations are left out, and one file of the corpus of Echidna, Medusa or forge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from simulator.abi.call_parser import parse_call
from simulator.abi.contract import ContractAbi
from simulator.corpus.echidna_json import AbiLookup, parse_sequence
from simulator.corpus.forge_json import parse_forge_sequence
from simulator.corpus.json_fields import read_bytes, read_number
from simulator.corpus.medusa_json import parse_medusa_sequence, relocate
from simulator.corpus.store import read_bounded
from simulator.errors import AbiError, CorpusError
from simulator.printable import shown_path
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction, wei_bytes

MAX_FILE_SIZE = 64 << 20
MAX_CALLS = 10_000
"""Of one sequence."""
MAX_SEQUENCES = 10_000
_FORMS = (
    "a JSON array of transactions or of such arrays, forge's broadcast, or a corpus file of Echidna, Medusa or forge"
)


@dataclass(frozen=True)
class Recipient:
    """The fuzzed contract that sequences are for. Calls without a sender are by `sender`, and no call gets more than
    `gas`."""

    address: bytes
    abi: ContractAbi
    sender: bytes
    gas: int
    abi_of: AbiLookup


def read_sequences(path: Path, recipient: Recipient) -> tuple[Sequence, ...]:
    """The sequences of a file, empty ones left out. Calls of functions of the fuzzed contract that go to an unknown
    address go to it instead. Raises `CorpusError` naming file, sequence, call and allowed form."""
    place = shown_path(path)
    content = read_bounded(path, place, MAX_FILE_SIZE)
    return tuple(_at_home(each, recipient) for each in parse_sequences(content, place, recipient) if each)


def parse_sequences(content: bytes, place: str, recipient: Recipient) -> tuple[Sequence, ...]:
    """The sequences of a file's content, as they stand there. `place` names the file. Raises `CorpusError`."""
    if content.startswith(b"\x1f\x8b"):
        return (parse_forge_sequence(content, place),)
    try:
        document = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CorpusError(f"{place}: not JSON: {error}") from None
    match document:
        case {"call_sequence": _} | [{"calldata": _}, *_]:
            return (parse_forge_sequence(content, place),)
        case [{"call": {"tag": _}} | {"_call": _}, *_]:
            return (parse_sequence(content, place),)
        case [{"call": {}}, *_]:
            return (parse_medusa_sequence(content, place, recipient.abi_of),)
        case {"transactions": [*nodes]}:
            calls = [each["transaction"] for each in nodes if _is_broadcast_call(each)]
            return (_sequence(calls, place, recipient),)
        case [[*_], *_] if len(document) <= MAX_SEQUENCES:
            named = ((node, f"{place}: sequence {index}") for index, node in enumerate(document, 1))
            return tuple(_sequence(node, where, recipient) for node, where in named)
        case [*nodes]:
            return (_sequence(nodes, place, recipient),)
        case _:
            raise CorpusError(f"{place}: must be {_FORMS}")


def _is_broadcast_call(node: object) -> bool:
    return isinstance(node, Mapping) and isinstance(node.get("transaction"), Mapping) and node["transaction"].get("to")


def _sequence(nodes: object, place: str, recipient: Recipient) -> Sequence:
    if not isinstance(nodes, list) or len(nodes) > MAX_CALLS:
        raise CorpusError(f"{place}: must be a JSON array of at most {MAX_CALLS} transactions")
    return tuple(_transaction(node, f"{place}: call {index}", recipient) for index, node in enumerate(nodes, 1))


def _transaction(node: object, place: str, recipient: Recipient) -> Transaction:
    if not isinstance(node, Mapping):
        raise CorpusError(f"{place}: must be an object")
    sender = node.get("from", node.get("sender"))
    to = node.get("to")
    return Transaction(
        sender=recipient.sender if sender is None else read_bytes(sender, 20, f"{place}: from"),
        to=recipient.address if to is None else read_bytes(to, 20, f"{place}: to"),
        data=_calldata(node, place, recipient),
        value=wei_bytes(_number(node, "value", 256, place)),
        seconds=_number(node, "seconds", 63, place),
        blocks=_number(node, "blocks", 63, place),
        gas=recipient.gas,
    )


def _calldata(node: Mapping[str, Any], place: str, recipient: Recipient) -> bytes:
    text = node.get("call")
    data = node.get("data", node.get("input"))
    if text is None and data is None:
        raise CorpusError(f'{place}: must have `call`, such as "deposit(100)", or `data`')
    if text is None:
        return read_bytes(data, None, f"{place}: data")
    if not isinstance(text, str):
        raise CorpusError(f"{place}: call: must be text such as deposit(100)")
    try:
        return parse_call(text, recipient.abi).encode()
    except AbiError as error:
        raise CorpusError(f"{place}: call: {error}") from None


def _number(node: Mapping[str, Any], key: str, bits: int, place: str) -> int:
    value = node.get(key)
    return 0 if value is None else read_number(value, bits, f"{place}: {key}")


def _at_home(sequence: Sequence, recipient: Recipient) -> Sequence:
    """With calls of the fuzzed contract going where it stands here, and at most the gas that the campaign gives."""
    strange = dict.fromkeys(_strange(sequence, recipient), recipient.address)
    bounded = (msgspec.structs.replace(each, gas=min(each.gas, recipient.gas)) for each in sequence)
    return relocate(tuple(bounded), strange)


def _strange(sequence: Sequence, recipient: Recipient) -> Iterator[bytes]:
    for call in sequence:
        is_own = call.data[:SELECTOR_SIZE] in recipient.abi.by_selector
        if not call.is_wait and is_own and recipient.abi_of(call.to) is None:
            yield call.to
