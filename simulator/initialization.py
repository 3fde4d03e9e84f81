"""Etheno's files: creations, calls and mined blocks that precede the target, as Echidna's `initialize` names them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from simulator.errors import TargetError
from simulator.files.regular_file import NotRegularError, open_regular
from simulator.printable import shown_path

MAX_FILE_SIZE = 64 << 20
MAX_EVENTS = 100_000
_SECONDS = 1 << 62


class InitialStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step: a creation at `to` (`creates`), a call of `to`, or with empty `to` blocks and seconds that pass.
    Addresses are 20 bytes, `value` is wei as big-endian bytes."""

    sender: bytes = b""
    to: bytes = b""
    data: bytes = b""
    value: bytes = b""
    creates: bool = False
    seconds: int = 0
    blocks: int = 0


def read_initialization(path: Path) -> tuple[InitialStep, ...]:
    """The steps of an Etheno file, accounts that were created left out. Raises `TargetError` naming file and event."""
    place = shown_path(path)
    try:
        with open_regular(path) as file:
            content = file.read(MAX_FILE_SIZE + 1)
    except NotRegularError:
        raise TargetError(f"initialize: {place}: not a regular file") from None
    except OSError as error:
        raise TargetError(f"initialize: {place}: cannot be read: {error.strerror}") from None
    if len(content) > MAX_FILE_SIZE:
        raise TargetError(f"initialize: {place}: over {MAX_FILE_SIZE} bytes")
    try:
        events = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TargetError(f"initialize: {place}: not JSON: {error}") from None
    if not isinstance(events, list) or len(events) > MAX_EVENTS:
        raise TargetError(f"initialize: {place}: must be a JSON array of at most {MAX_EVENTS} events")
    steps = (_step(event, f"initialize: {place}: event {index}") for index, event in enumerate(events, 1))
    return tuple(step for step in steps if step is not None)


def _step(event: Any, place: str) -> InitialStep | None:
    match event:
        case {"event": "AccountCreated"}:
            return None
        case {"event": "BlockMined", "number_increment": blocks, "timestamp_increment": seconds}:
            number = _number(blocks, _SECONDS, f"{place}: number_increment")
            return InitialStep(seconds=_number(seconds, _SECONDS, f"{place}: timestamp_increment"), blocks=number)
        case {"event": "ContractCreated", "from": _, "contract_address": address, "data": _}:
            return _transaction(event, address, place, creates=True)
        case {"event": "FunctionCall", "from": _, "to": address, "data": _}:
            return _transaction(event, address, place, creates=False)
        case _:
            raise TargetError(f"{place}: must be AccountCreated, ContractCreated, FunctionCall or BlockMined, complete")


def _transaction(event: Mapping[str, Any], address: object, place: str, *, creates: bool) -> InitialStep:
    value = _number(event.get("value", 0), (1 << 256) - 1, f"{place}: value")
    return InitialStep(
        sender=_bytes(event["from"], 20, f"{place}: from"),
        to=_bytes(address, 20, f"{place}: address"),
        data=_bytes(event["data"], None, f"{place}: data"),
        value=value.to_bytes((value.bit_length() + 7) // 8, "big"),
        creates=creates,
    )


def _bytes(node: object, size: int | None, place: str) -> bytes:
    try:
        data = bytes.fromhex(node.removeprefix("0x")) if isinstance(node, str) else None
    except ValueError:
        data = None
    if data is None or size not in (None, len(data)):
        raise TargetError(f"{place}: must be {'hex digits' if size is None else f'{2 * size} hex digits'}")
    return data


def _number(node: object, limit: int, place: str) -> int:
    """A JSON number, or a decimal or 0x text."""
    number = -1
    if isinstance(node, int) and not isinstance(node, bool):
        number = node
    elif isinstance(node, str) and len(node) <= 80:
        try:
            number = int(node, 0)
        except ValueError:
            number = -1
    if not 0 <= number <= limit:
        raise TargetError(f"{place}: must be a number")
    return number
