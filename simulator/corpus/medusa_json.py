"""medusa's `call_sequences` files: one JSON array of calls per file.

The calldata is taken from `data`, which medusa writes beside the decoded `dataAbiValues`; so no ABI is needed. Target
addresses are medusa's own deployment addresses; `relocate` puts others in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from simulator.errors import CorpusError
from simulator.transaction import DEFAULT_GAS, Sequence, Transaction, wei_bytes

MAX_CALLS = 10_000
MAX_CALLDATA = 1 << 20


def parse_medusa_sequence(content: bytes, place: str) -> Sequence:
    """Read one file of medusa's corpus. `place` names it in messages.

    Raises `CorpusError` naming file and call for anything malformed, for contract creations, for more than 10,000 calls
    and for calldata over 1 MiB.
    """
    try:
        document = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CorpusError(f"{place}: not JSON: {error}") from None
    if not isinstance(document, list) or len(document) > MAX_CALLS:
        raise CorpusError(f"{place}: must be a JSON array of at most {MAX_CALLS} calls")
    return tuple(_read_element(node, f"{place}: call {index}") for index, node in enumerate(document, 1))


def relocate(sequence: Sequence, addresses: Mapping[bytes, bytes]) -> Sequence:
    """The sequence with calls to the addresses that are keys of `addresses` going to their values instead."""
    return tuple(msgspec.structs.replace(call, to=addresses.get(call.to, call.to)) for call in sequence)


def _read_element(node: object, place: str) -> Transaction:
    call = node.get("call") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or not isinstance(call, Mapping):
        raise CorpusError(f"{place}: must be an object with the key 'call'")
    if call.get("to") is None:
        raise CorpusError(f"{place}: contract creations are not supported")
    return Transaction(
        sender=_bytes(call.get("from"), 20, f"{place}: from"),
        to=_bytes(call.get("to"), 20, f"{place}: to"),
        data=_calldata(call, place),
        value=wei_bytes(_number(call.get("value", "0x0"), 256, f"{place}: value")),
        seconds=_number(node.get("blockTimestampDelay", 0), 63, f"{place}: blockTimestampDelay"),
        blocks=_number(node.get("blockNumberDelay", 0), 63, f"{place}: blockNumberDelay"),
        gas=_number(call.get("gasLimit", DEFAULT_GAS), 63, f"{place}: gasLimit"),
    )


def _calldata(call: Mapping[str, Any], place: str) -> bytes:
    data = call.get("data")
    if data is None and call.get("dataAbiValues") is not None:
        raise CorpusError(f"{place}: has dataAbiValues without data; medusa writes both")
    return _bytes(data if data is not None else "0x", None, f"{place}: data")


def _bytes(node: object, size: int | None, place: str) -> bytes:
    form = "0x and hex digits" if size is None else f"0x and {2 * size} hex digits"
    if not isinstance(node, str) or not node.startswith("0x") or len(node) > 2 + 2 * MAX_CALLDATA:
        raise CorpusError(f"{place}: must be {form}")
    try:
        value = bytes.fromhex(node[2:])
    except ValueError:
        raise CorpusError(f"{place}: must be {form}") from None
    if size is not None and len(value) != size:
        raise CorpusError(f"{place}: must be {form}")
    return value


def _number(node: object, bits: int, place: str) -> int:
    number = -1
    if isinstance(node, int) and not isinstance(node, bool):
        number = node
    elif isinstance(node, str) and node.startswith("0x") and len(node) <= 66:
        number = int(node, 16) if all(digit in "0123456789abcdefABCDEF" for digit in node[2:]) and node[2:] else -1
    if not 0 <= number < 1 << bits:
        raise CorpusError(f"{place}: must be a number or 0x string of at most {bits} bits")
    return number
