"""A worker whose functions are bound: what it solves, replays and shrinks keeps the clamps as what it builds does."""

from __future__ import annotations

import pytest

from simulator.abi.hashing import selector
from simulator.transaction import Sequence, Transaction, address_bytes
from simulator.worker.commands import ArgumentBinding, Clamp, Fuzz, Inject, Replay, SetClamps, Setup, Shrink
from simulator.worker.reports import Done, Falsified, Injected, Interesting, Shrunk
from tests.support.worker_peer import WorkerPeer

pytestmark = pytest.mark.integration

SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Gate {
    bool private opened;
    uint256 private high;
    function open(uint256 code) public { if (code == 918273645) opened = true; }
    function raise_(uint256 amount) public { if (amount > 5) high = amount; }
    function echidna_closed() public view returns (bool) { return !opened; }
    function echidna_low() public view returns (bool) { return high == 0; }
}
"""
OPEN, RAISE = selector("open(uint256)"), selector("raise_(uint256)")
SENDER = address_bytes(0x30000)


def word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def numbers(sequences: list[Sequence], start: bytes) -> set[int]:
    return {int.from_bytes(call.data[4:], "big") for each in sequences for call in each if call.data[:4] == start}


def test_solving_replaying_and_shrinking_keep_the_clamps(peer: WorkerPeer, setup_frame: Setup):
    """The code that comparisons ask for is never sent, a seed that has it is repaired, and a finding is shrunk within
    the range. What is injected is executed as it stands."""
    gate = setup_frame.settings.contract_address
    opening = Transaction(SENDER, gate, OPEN + word(918273645))
    bound = (
        Clamp("open", (ArgumentBinding("code", "uint256", (word(1), word(2))),)),
        Clamp("raise_", (ArgumentBinding("amount", "uint256", (), word(100), word(110)),), (SENDER,)),
    )
    peer.send(setup_frame, SetClamps(bound), Replay(((opening,) * 3,)), Fuzz(20_000), Fuzz(20_000))
    frames = [frame for _ in range(3) for frame in peer.until(Done)]
    found = [frame for frame in frames if isinstance(frame, Falsified)]
    kept = [frame.sequence for frame in frames if isinstance(frame, Interesting)]
    assert {frame.test for frame in found} == {1}
    assert numbers(kept, OPEN) <= {1, 2}
    assert numbers([*kept, found[0].sequence], RAISE) <= set(range(100, 111))
    peer.send(Shrink(1, found[0].sequence, 2_000))
    shrunk = [frame for frame in peer.until(Done) if isinstance(frame, Shrunk)][-1]
    ((call,), minimal) = shrunk.sequence, shrunk.minimal
    assert (call.data, call.sender, minimal) == (RAISE + word(100), SENDER, True)
    peer.send(Inject(5, (opening,)), Fuzz(100))
    assert any(isinstance(frame, Falsified) and frame.test == 0 for frame in peer.until(Injected))
