"""Calls that never end: a worker leaves them when it is told to, wherever it meets them."""

import os
from pathlib import Path

import msgspec
import psutil
import pytest

from simulator.abi.hashing import selector
from simulator.compile import CompileOptions, compile_targets
from simulator.settings import CampaignSettings
from simulator.transaction import Transaction
from simulator.worker.commands import Execute, Fuzz, Interrupt, Replay, Setup, Shrink, Stop
from simulator.worker.reports import Done, Executed, Falsified, Hello, Interesting, Ready, Shrunk
from tests.support.patience import wait_for
from tests.support.worker_peer import WorkerPeer

pytestmark = pytest.mark.integration

FOR_YEARS = 2**62
SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Endless {
    uint256 private sum;
    bool private struck;
    function burn() public view { uint256 i; while (true) i ^= sum; }
    function strike() public { struck = true; }
    function echidna_whole() public view returns (bool) { return !struck; }
}
contract Born {
    uint256 private sum;
    constructor() { uint256 i; while (true) i ^= sum; }
    function echidna_whole() public view returns (bool) { return sum < 2; }
}
"""


@pytest.fixture
def frame(tmp_path: Path) -> Setup:
    path = tmp_path / "Endless.sol"
    path.write_text(SOURCE)
    project = compile_targets([path], CompileOptions())
    file = tmp_path / "endless.msgpack"
    file.write_bytes(msgspec.msgpack.encode(project))
    name = next(each.full_name for each in project.contracts if each.full_name.endswith(":Endless"))
    settings = CampaignSettings(contract=name, filter_functions=("Endless.strike()",), transaction_gas=FOR_YEARS)
    return Setup(0, 1, os.fsencode(file), settings)


def call(frame: Setup, function: str, gas: int = FOR_YEARS) -> Transaction:
    return Transaction(b"\0" * 17 + b"\1\0\0", frame.settings.contract_address, selector(function), gas=gas)


def until_busy(peer: WorkerPeer) -> None:
    """Until the worker has computed for so long that it must be in the call that never ends."""
    process = psutil.Process(peer.process.pid)
    before = process.cpu_times().user
    wait_for(lambda: process.cpu_times().user > before + 0.3, "the worker computes")


def test_fuzzing_is_interrupted_in_the_middle_of_a_call(peer: WorkerPeer, frame: Setup) -> None:
    """Nothing of the call is booked, and the worker continues to other work."""
    peer.send(frame, Fuzz(10**9))
    peer.until(Ready)
    until_busy(peer)
    peer.send(Interrupt())
    frames = peer.until(Done)
    assert frames[-1].reason == "interrupted"  # type: ignore[union-attr]
    assert not [each for each in frames if isinstance(each, Interesting | Falsified)]
    peer.send(Replay(((call(frame, "strike()"),),)))
    assert any(isinstance(each, Falsified) for each in peer.until(Done))


@pytest.mark.parametrize("work", ["replay", "execute"])
def test_given_sequences_are_left_when_the_worker_is_to_leave(peer: WorkerPeer, frame: Setup, work: str) -> None:
    """Also where each call of a sequence is executed by itself."""
    sequence = (call(frame, "burn()"),)
    peer.send(frame)
    peer.until(Ready)
    peer.send(Replay((sequence,)) if work == "replay" else Execute(1, sequence, trace=True))
    until_busy(peer)
    peer.send(Stop())
    frames = peer.until(Done if work == "replay" else Executed)
    if isinstance(frames[-1], Executed):
        assert [outcome.reason for outcome in frames[-1].outcomes] == ["the call was stopped"]
    assert peer.process.wait() == 0


def test_shrinking_keeps_what_it_has_when_a_candidate_never_ends(peer: WorkerPeer, frame: Setup) -> None:
    """The result is the sequence as far as it was shrunk, told without a trace."""
    peer.send(frame, Replay(((call(frame, "strike()"),),)))
    peer.until(Done)
    sequence = (call(frame, "burn()", gas=30_000), call(frame, "burn()"), call(frame, "strike()"))
    peer.send(Shrink(0, sequence, 1000))
    until_busy(peer)
    peer.send(Interrupt())
    frames = peer.until(Done)
    assert frames[-1].reason == "interrupted"  # type: ignore[union-attr]
    assert [each.sequence[-1] for each in frames if isinstance(each, Shrunk)] == [sequence[-1]]


def test_a_worker_leaves_a_constructor_that_never_ends(peer: WorkerPeer, frame: Setup) -> None:
    """It is not ready yet, and needs not become so."""
    contract = frame.settings.contract.replace(":Endless", ":Born")
    settings = msgspec.structs.replace(frame.settings, contract=contract, filter_functions=())
    peer.send(msgspec.structs.replace(frame, settings=settings), Stop())
    peer.until(Hello)
    assert peer.process.wait() == 0
