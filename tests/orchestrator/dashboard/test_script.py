"""The script of a sequence: what any solc from 0.6.2 on compiles, whatever names and values it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.dashboard.page_tools.script import render_script
from simulator.compile import CompileOptions, compile_targets
from simulator.trace.address_book import AddressBook
from simulator.transaction import Transaction, wei_bytes
from tests.support.campaign_bench import PROJECT, SENDER, TOKEN, call

BOOK = AddressBook.from_project(PROJECT, [(TOKEN, "Token.sol:Token")])
OTHER = b"\x0b" * 20
SEQUENCE = (
    call("transfer", 0x20000, 5),
    Transaction(SENDER, b"", b"", seconds=60, blocks=2),
    call("deposit", value=7),
    call("note", 'a"\\\n*/ // \u202e', (1, 2), True),
    Transaction(SENDER, OTHER, b"\x01\x02\x03\x04", wei_bytes(1), seconds=3),
)


def test_a_script_makes_each_call_with_sender_value_and_delay():
    source = render_script("Token.test@<img>", SEQUENCE, BOOK)
    assert source.count(".call") == 4
    assert "vm.warp(time += 60);" in source
    assert "vm.roll(number += 2);" in source
    assert "TARGET_TOKEN.call{value: 7}" in source
    assert "TARGET_0X0B0B" in source
    assert 'hex"01020304"' in source


@pytest.mark.nightly
@pytest.mark.integration
def test_a_script_compiles(tmp_path: Path):
    path = tmp_path / "Sequence.s.sol"
    path.write_text(render_script("Token.test", SEQUENCE, BOOK))
    project = compile_targets([path], CompileOptions())
    assert any(contract.name == "Sequence" for contract in project.contracts)
