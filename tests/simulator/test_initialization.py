"""Etheno's files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.errors import TargetError
from simulator.initialization import InitialStep, read_initialization

ONE, TWO = "0x" + "01" * 20, "0x" + "02" * 20
CALL = {"event": "FunctionCall", "from": ONE, "to": TWO, "data": "0x1234", "value": "0x10", "gas_used": "0x5208"}


def read(folder: Path, *events: Any) -> tuple[InitialStep, ...]:
    file = folder / "init.json"
    file.write_text(json.dumps(events))
    return read_initialization(file)


def test_events_become_steps(tmp_path: Path) -> None:
    """Accounts need none: they are there once somebody uses them."""
    creation = {"event": "ContractCreated", "from": ONE, "contract_address": TWO, "data": "0x6001", "value": 7}
    block = {"event": "BlockMined", "number_increment": 2, "timestamp_increment": "0x5"}
    assert read(tmp_path, {"event": "AccountCreated", "address": ONE}, creation, CALL, block) == (
        InitialStep(b"\1" * 20, b"\2" * 20, b"\x60\x01", b"\7", creates=True),
        InitialStep(b"\1" * 20, b"\2" * 20, b"\x12\x34", b"\x10"),
        InitialStep(seconds=5, blocks=2),
    )


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (3, "event 1: must be AccountCreated"),
        ({"event": "Else"}, "event 1: must be AccountCreated"),
        ({"event": "FunctionCall", "from": ONE, "data": ""}, "event 1: must be AccountCreated"),
        (CALL | {"from": "0x1"}, "event 1: from: must be 40 hex digits"),
        (CALL | {"data": "zz"}, "event 1: data: must be hex digits"),
        (CALL | {"value": -1}, "event 1: value: must be a number"),
    ],
)
def test_malformed_events_are_refused_with_their_place(tmp_path: Path, event: Any, message: str) -> None:
    """The error names file, event and field."""
    with pytest.raises(TargetError, match=rf"initialize: .*init\.json: {message}"):
        read(tmp_path, event)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    """Missing, no JSON, no array, no regular file."""
    file = tmp_path / "init.json"
    for prepare, message in (
        (lambda: None, "cannot be read"),
        (lambda: file.write_text("{"), "not JSON"),
        (lambda: file.write_text("{}"), "must be a JSON array"),
    ):
        prepare()
        with pytest.raises(TargetError, match=message):
            read_initialization(file)
    with pytest.raises(TargetError):
        read_initialization(tmp_path)
