"""Echidna's corpus files: one JSON array of transactions per file, as aeson derives it from Echidna's `Tx`.

A `SolCall` carries its argument types, so reading needs no ABI: the selector follows from name and types. Writing needs
the ABI of the called contract; calldata that it does not describe exactly is written as `SolCalldata`, so every
sequence survives a round trip byte for byte. The gas price is not kept; it is written as zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec

from simulator.abi.codec import encode
from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import checksum_address, selector
from simulator.abi.types import Tuple
from simulator.corpus.echidna_values import hex_address, read_typed_value, write_value
from simulator.corpus.haskell_text import read_bytes, show_bytes
from simulator.errors import AbiError, CorpusError
from simulator.transaction import (
    WORD_MAX,
    Transaction,
    address_bytes,
    address_int,
    wei_bytes,
)
from simulator.transaction import Sequence as TransactionSequence

AbiLookup: TypeAlias = Callable[[bytes], ContractAbi | None]
"""The ABI of the contract at an address of 20 bytes, None when it is unknown."""

MAX_TRANSACTIONS = 10_000
MAX_CALLDATA = 1 << 20
MAX_DELAY = (1 << 63) - 1
MAX_GAS = (1 << 63) - 1

# Echidna before 2.1 wrote the record's field names as they are in its source.
_LEGACY_KEYS = {"call": "_call", "src": "_src", "dst": "_dst", "gas": "_gas'", "value": "_value", "delay": "_delay"}
_KEYS = {key: key for key in _LEGACY_KEYS}


def parse_sequence(content: bytes, place: str) -> TransactionSequence:
    """Read one corpus file. `place` names it in messages.

    A `NoCall` becomes a pure wait. Raises `CorpusError` naming file, transaction and field for anything malformed, for
    `SolCreate`, for more than 10,000 transactions, calldata over 1 MiB, and delays or gas of 2**63 or more.
    """
    try:
        document = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CorpusError(f"{place}: not JSON: {error}") from None
    if not isinstance(document, list):
        raise CorpusError(f"{place}: a corpus file must be a JSON array of transactions")
    if len(document) > MAX_TRANSACTIONS:
        raise CorpusError(f"{place}: {len(document)} transactions; at most {MAX_TRANSACTIONS} are allowed")
    return tuple(_read_transaction(node, f"{place}: transaction {index}") for index, node in enumerate(document, 1))


def render_sequence(sequence: TransactionSequence, abi_of: AbiLookup) -> bytes:
    """One corpus file as Echidna writes it: compact JSON, sorted keys, checksummed addresses."""
    nodes = [
        {
            "call": _write_call(transaction, abi_of),
            "delay": [_hex_word(transaction.seconds), _hex_word(transaction.blocks)],
            "dst": checksum_address(address_int(transaction.to or _nearby_target(sequence, index))),
            "gas": transaction.gas,
            "gasprice": _hex_word(0),
            "src": checksum_address(address_int(transaction.sender)),
            "value": _hex_word(transaction.wei),
        }
        for index, transaction in enumerate(sequence)
    ]
    return msgspec.json.encode(nodes)


def _nearby_target(sequence: TransactionSequence, index: int) -> bytes:
    # Echidna gives a wait the target of the call it replaced, and refuses files that name undeployed targets.
    following = (transaction.to for transaction in (*sequence[index:], *reversed(sequence[:index])))
    return next(filter(None, following), bytes(20))


def _write_call(transaction: Transaction, abi_of: AbiLookup) -> dict[str, Any]:
    if transaction.is_wait:
        return {"tag": "NoCall"}
    abi = abi_of(transaction.to)
    function = abi.by_selector.get(transaction.data[:4]) if abi is not None else None
    if function is not None:
        try:
            values = function.decode_call(transaction.data)
            if function.encode_call(values) == transaction.data:
                pairs = zip(function.inputs.members, values, strict=True)
                return {"contents": [function.name, [write_value(*pair) for pair in pairs]], "tag": "SolCall"}
        except AbiError:
            pass  # mutated calldata need not be an encoding; it is kept as raw bytes
    return {"contents": show_bytes(transaction.data), "tag": "SolCalldata"}


def _read_transaction(node: object, place: str) -> Transaction:
    if not isinstance(node, Mapping):
        raise CorpusError(f"{place}: must be an object")
    keys = _LEGACY_KEYS if "_call" in node else _KEYS
    missing = [key for key in keys.values() if key not in node]
    if missing:
        raise CorpusError(f"{place}: the keys {', '.join(missing)} are missing")
    field = {key: node[written] for key, written in keys.items()}
    delay = field["delay"]
    if not isinstance(delay, list) or len(delay) != 2:
        raise CorpusError(f"{place}: delay must be [seconds, blocks]")
    data = _read_call(field["call"], f"{place}: call")
    return Transaction(
        sender=address_bytes(hex_address(field["src"], f"{place}: src")),
        to=b"" if data is None else address_bytes(hex_address(field["dst"], f"{place}: dst")),
        data=data or b"",
        value=wei_bytes(_number(field["value"], WORD_MAX, f"{place}: value")),
        seconds=_number(delay[0], MAX_DELAY, f"{place}: delay"),
        blocks=_number(delay[1], MAX_DELAY, f"{place}: delay"),
        gas=_number(field["gas"], MAX_GAS, f"{place}: gas"),
    )


def _read_call(node: object, place: str) -> bytes | None:
    """Calldata, or None for a wait."""
    if not isinstance(node, Mapping):
        raise CorpusError(f"{place}: must be an object with a tag")
    contents = node.get("contents")
    match node.get("tag"):
        case "NoCall":
            return None
        case "SolCall":
            data = _read_solidity_call(contents, place)
        case "SolCalldata" if isinstance(contents, str):
            data = _read_haskell(contents, place)
        case "SolCreate":
            raise CorpusError(f"{place}: SolCreate is not supported: sequences call deployed contracts only")
        case tag:
            raise CorpusError(f"{place}: unknown call {tag!r}; allowed are SolCall, SolCalldata and NoCall")
    if len(data) > MAX_CALLDATA:
        raise CorpusError(f"{place}: {len(data)} bytes of calldata; at most {MAX_CALLDATA} are allowed")
    return data


def _read_haskell(text: str, place: str) -> bytes:
    try:
        return read_bytes(text)
    except CorpusError as error:
        raise CorpusError(f"{place}: {error}") from None


def _read_solidity_call(contents: object, place: str) -> bytes:
    match contents:
        case [str() as name, [*nodes]]:
            return _encode_call(name, nodes, place)
        case _:
            raise CorpusError(f"{place}: the contents of a SolCall must be [name, [arguments]]")


def _encode_call(name: str, nodes: Sequence[object], place: str) -> bytes:
    arguments = [read_typed_value(node, f"{place} {name}, argument {index}") for index, node in enumerate(nodes, 1)]
    inputs = Tuple(tuple(abi_type for abi_type, _ in arguments))
    try:
        return selector(name + inputs.canonical) + encode(inputs.members, [value for _, value in arguments])
    except AbiError as error:
        raise CorpusError(f"{place} {name}: {error}") from None


def _number(node: object, limit: int, place: str) -> int:
    """A JSON number, a 0x string or a decimal string."""
    number = -1
    if isinstance(node, int) and not isinstance(node, bool):
        number = node
    elif isinstance(node, str) and len(node) <= 80:
        with suppress(ValueError):
            number = int(node, 16 if node.startswith("0x") else 10)
    if not 0 <= number <= limit:
        raise CorpusError(f"{place}: must be a number or 0x string of 0..{limit:#x}")
    return number


def _hex_word(number: int) -> str:
    return f"0x{number:064x}"
