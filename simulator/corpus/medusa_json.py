"""medusa's `call_sequences` and `test_results` files: one JSON array of calls per file.

As in medusa, the calldata is what `dataAbiValues` says; where the called function is not known, it is taken from
`data`, which medusa writes beside it. A `?` among the values stands for one to be chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from simulator.abi.codec import encode
from simulator.abi.contract import ContractAbi, Function
from simulator.abi.hashing import selector
from simulator.abi.json_values import read_value, write_value
from simulator.abi.types import AbiType, Array, String, Tuple, Value, parse_type_text
from simulator.abi.values import EmptyDictionary, generate
from simulator.corpus.echidna_json import AbiLookup
from simulator.corpus.identity import sequence_hash
from simulator.corpus.json_fields import MAX_CALLDATA, read_bytes, read_number
from simulator.errors import AbiError, CorpusError
from simulator.transaction import DEFAULT_GAS, Sequence, Transaction, wei_bytes

MAX_CALLS = 10_000
WILDCARD = "?"


def parse_medusa_sequence(content: bytes, place: str, abi_of: AbiLookup = lambda _: None) -> Sequence:
    """Read one file of medusa's corpus. `place` names it in messages, `abi_of` knows the members of structs.

    Raises `CorpusError` naming file and call for anything malformed, for contract creations, for more than 10,000 calls
    and for calldata over 1 MiB.
    """
    try:
        document = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CorpusError(f"{place}: not JSON: {error}") from None
    if not isinstance(document, list) or len(document) > MAX_CALLS:
        raise CorpusError(f"{place}: must be a JSON array of at most {MAX_CALLS} calls")
    return tuple(_read_element(node, abi_of, f"{place}: call {index}") for index, node in enumerate(document, 1))


def render_medusa_sequence(sequence: Sequence, abi_of: AbiLookup) -> bytes:
    """One file as medusa writes it. A wait becomes the delay of the call after it; one at the end is left out."""
    nodes = []
    seconds = blocks = 0
    for call in sequence:
        seconds, blocks = seconds + call.seconds, blocks + call.blocks
        if not call.is_wait:
            nodes.append(_write_element(call, abi_of(call.to), seconds, blocks))
            seconds = blocks = 0
    return msgspec.json.encode(nodes)


def medusa_file_name(sequence: Sequence) -> str:
    """The name of a sequence's file: a UUID made of its hash."""
    return f"{UUID(hex=sequence_hash(sequence)[:32], version=4)}.json"


def relocate(sequence: Sequence, addresses: Mapping[bytes, bytes]) -> Sequence:
    """The sequence with calls to the addresses that are keys of `addresses` going to their values instead."""
    return tuple(msgspec.structs.replace(call, to=addresses.get(call.to, call.to)) for call in sequence)


def _read_element(node: object, abi_of: AbiLookup, place: str) -> Transaction:
    call = node.get("call") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or not isinstance(call, Mapping):
        raise CorpusError(f"{place}: must be an object with the key 'call'")
    if call.get("to") is None:
        raise CorpusError(f"{place}: contract creations are not supported")
    to = read_bytes(call.get("to"), 20, f"{place}: to")
    return Transaction(
        sender=read_bytes(call.get("from"), 20, f"{place}: from"),
        to=to,
        data=_calldata(call, abi_of(to), place),
        value=wei_bytes(read_number(call.get("value", "0x0"), 256, f"{place}: value")),
        seconds=read_number(node.get("blockTimestampDelay", 0), 63, f"{place}: blockTimestampDelay"),
        blocks=read_number(node.get("blockNumberDelay", 0), 63, f"{place}: blockNumberDelay"),
        gas=read_number(call.get("gasLimit", DEFAULT_GAS), 63, f"{place}: gasLimit"),
    )


def _calldata(call: Mapping[str, Any], abi: ContractAbi | None, place: str) -> bytes:
    data, values = call.get("data"), call.get("dataAbiValues")
    if values is None:
        return read_bytes(data if data is not None else "0x", None, f"{place}: data")
    try:
        return _encoded(values, abi, f"{place}: dataAbiValues")
    except CorpusError:
        # Members of a struct have no order where the function is not known.
        if data is None or _has_wildcard(values):
            raise
        return read_bytes(data, None, f"{place}: data")


def _encoded(values: object, abi: ContractAbi | None, place: str) -> bytes:
    match values:
        case {"methodSignature": str() as signature, "inputValues": [*nodes]}:
            pass
        case _:
            raise CorpusError(f"{place}: must have a methodSignature and inputValues")
    function = abi.by_signature.get(signature) if abi is not None else None
    try:
        inputs = function.inputs if function is not None else parse_type_text(signature[signature.index("(") :])
        members = inputs.members if isinstance(inputs, Tuple) else ()
        if len(members) != len(nodes):
            raise CorpusError(f"{place}: {len(nodes)} values for {signature}")
        arguments = [_value(*pair, f"{place}[{index}]") for index, pair in enumerate(zip(members, nodes, strict=True))]
        data = selector(signature) + encode(members, arguments)
    except (AbiError, ValueError) as error:
        raise CorpusError(f"{place}: {error}") from None
    if len(data) > MAX_CALLDATA:
        raise CorpusError(f"{place}: {len(data)} bytes of calldata; at most {MAX_CALLDATA} are allowed")
    return data


def _value(abi_type: AbiType, node: object, place: str) -> Value:
    if node == WILDCARD and not isinstance(abi_type, String):
        return generate(abi_type, Random(place), EmptyDictionary())
    if isinstance(abi_type, Array) and isinstance(node, list) and abi_type.length in (None, len(node)):
        return [_value(abi_type.element, item, f"{place}[{index}]") for index, item in enumerate(node)]
    return read_value(abi_type, node, {}, place)


def _has_wildcard(values: object) -> bool:
    nodes = values.get("inputValues") if isinstance(values, Mapping) else None
    return isinstance(nodes, list) and WILDCARD in nodes


def _write_element(call: Transaction, abi: ContractAbi | None, seconds: int, blocks: int) -> dict[str, Any]:
    function = abi.by_selector.get(call.data[:4]) if abi is not None else None
    return {
        "call": {
            "from": f"0x{call.sender.hex()}",
            "to": f"0x{call.to.hex()}",
            "nonce": 0,
            "value": hex(call.wei),
            "gasLimit": call.gas,
            "gasPrice": "0x1",
            "gasFeeCap": "0x0",
            "gasTipCap": "0x0",
            "data": f"0x{call.data.hex()}",
            "dataAbiValues": _abi_values(function, call.data) if function is not None else None,
            "AccessList": None,
            "SkipNonceChecks": False,
            "SkipFromEOACheck": False,
        },
        "blockNumberDelay": blocks,
        "blockTimestampDelay": seconds,
    }


def _abi_values(function: Function, data: bytes) -> dict[str, Any] | None:
    """None where the calldata is not the encoding of what it decodes to, so that `data` counts."""
    try:
        values = function.decode_call(data)
        if function.encode_call(values) != data:
            return None
    except AbiError:
        return None
    written = [write_value(*pair) for pair in zip(function.inputs.members, values, strict=True)]
    return {"methodName": function.name, "methodSignature": function.signature, "inputValues": written}
