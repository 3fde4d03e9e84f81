"""The worker program as its supervisor meets it: a process with two pipes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import psutil
import pytest

from simulator.abi.hashing import selector
from simulator.compile import CompileOptions, compile_targets
from simulator.settings import CampaignSettings
from simulator.transaction import Transaction
from simulator.worker.commands import (
    AddWords,
    Execute,
    Focus,
    Fuzz,
    Inject,
    Interrupt,
    Replay,
    SequenceTemplate,
    SetTemplates,
    Setup,
    Shrink,
    Stop,
    TemplateCall,
)
from simulator.worker.reports import (
    Coverage,
    Done,
    Executed,
    Failed,
    Falsified,
    FunctionCounts,
    Heartbeat,
    Hello,
    Injected,
    Interesting,
    Ready,
    Shrunk,
    Warn,
)
from tests.support.patience import PATIENCE
from tests.support.worker_peer import WorkerPeer

pytestmark = pytest.mark.integration

SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Safe {
    uint256 private opened;
    event Opened(uint256 code);
    function open(uint256 code) public {
        require(code == 918273645, "wrong code");
        opened += 1;
        emit Opened(code);
    }
    function twice(uint256 n) public pure returns (uint256) { return 2 * n; }
    function echidna_closed() public view returns (bool) { return opened == 0; }
}
"""


CODE = 918273645
OPEN, TWICE = selector("open(uint256)"), selector("twice(uint256)")


def test_pieces_given_ahead_make_the_calls_of_one_piece(peer: WorkerPeer, setup_frame: Setup):
    """What a piece runs over is taken off the next one; a failing test and an interrupt end both."""
    holds = msgspec.structs.replace(setup_frame.settings, filter_functions=("Safe.open(uint256)",))
    peer.send(msgspec.structs.replace(setup_frame, settings=holds), Fuzz(137), Fuzz(201, ahead=True))
    done = [peer.until(Done)[-1]]
    peer.send(Fuzz(55, ahead=True))
    done += [peer.until(Done)[-1] for _ in range(2)]
    assert [each.reason for each in done] == ["finished"] * 3
    assert 393 <= sum(each.calls for each in done) < 393 + holds.sequence_length
    peer.send(Fuzz(10**9), Fuzz(10**9, ahead=True), Interrupt())
    cut = [peer.until(Done)[-1] for _ in range(2)]
    assert [each.reason for each in cut] == ["interrupted"] * 2
    assert cut[1].calls == 0
    peer.send(Fuzz(10))
    assert peer.until(Done)[-1].reason == "finished"


def test_a_worker_finds_shrinks_and_replays_a_failure(peer: WorkerPeer, setup_frame: Setup):
    """Hello, Ready, then each work ends with one Done; the shrunk sequence still fails when executed."""
    peer.send(setup_frame, Fuzz(100_000))
    assert isinstance(peer.until(Hello)[0], Hello)
    ready = peer.until(Ready)[-1]
    assert isinstance(ready, Ready)
    assert [test.name for test in ready.tests] == ["echidna_closed"]
    frames = peer.until(Done)
    found = next(frame for frame in frames if isinstance(frame, Falsified))
    assert isinstance(frames[-1], Done)
    assert frames[-1].reason == "falsified"
    peer.send(Shrink(0, found.sequence, 1000))
    shrunk = next(frame for frame in peer.until(Done) if isinstance(frame, Shrunk))
    assert shrunk.minimal
    assert len(shrunk.sequence) == 1
    assert "open(918273645)" in "".join(shrunk.trace)
    peer.send(Execute(7, shrunk.sequence, trace=True))
    executed = peer.until(Executed)[-1]
    assert isinstance(executed, Executed)
    assert (executed.id, executed.outcomes[0].success) == (7, True)


def test_a_sequence_is_executed_without_a_trace_in_the_campaign(peer: WorkerPeer, setup_frame: Setup):
    """Results, return values, events and gas come back; coverage, corpus and tests stay as they were."""
    steps = (
        Transaction(b"\0" * 17 + b"\1\0\0", setup_frame.settings.contract_address, OPEN + (5).to_bytes(32, "big")),
        Transaction(b"\0" * 17 + b"\1\0\0", setup_frame.settings.contract_address, OPEN + CODE.to_bytes(32, "big")),
        Transaction(b"\0" * 17 + b"\1\0\0", setup_frame.settings.contract_address, TWICE + (21).to_bytes(32, "big")),
    )
    peer.send(setup_frame, Replay(()))
    peer.until(Done)
    peer.send(Execute(1, steps, trace=True), Replay(()), Execute(2, steps[1:2], trace=False), Replay(()))
    frames = [*peer.until(Done), *peer.until(Done)]
    first, second = (frame for frame in frames if isinstance(frame, Executed))
    assert [(outcome.success, outcome.reason) for outcome in first.outcomes] == [
        (False, "wrong code"),
        (True, "success"),
        (True, "success"),
    ]
    assert first.outcomes[1].logs[0].text == f"Opened(code: {CODE})"
    assert first.outcomes[2].returned == "42"
    assert first.outcomes[2].gas_used > 0
    assert any("wrong code" in line for line in first.trace)
    assert not second.trace
    assert (first.storage_changes, first.covered) == ((), ())
    assert not [frame for frame in frames if isinstance(frame, Falsified | Interesting | Coverage)]


def test_an_executed_sequence_tells_storage_and_code_where_asked(peer: WorkerPeer, setup_frame: Setup):
    """Each call's own changes, with the words before and after; a wait and a revert have none. Code that was not
    executed is not among the cells, however often the campaign ran it."""
    sender, target = b"\0" * 17 + b"\1\0\0", setup_frame.settings.contract_address
    opening = Transaction(sender, target, OPEN + CODE.to_bytes(32, "big"))
    wrong = Transaction(sender, target, OPEN + (5).to_bytes(32, "big"))
    twice = Transaction(sender, target, TWICE + (21).to_bytes(32, "big"))
    wait = Transaction(sender, b"", b"", seconds=5)
    peer.send(setup_frame, Replay((((twice, wrong)),)))
    peer.until(Done)
    peer.send(Execute(1, (wrong, wait, opening), trace=False, storage_changes=True, cover=True))
    peer.send(Execute(2, (twice,), trace=False, cover=True))
    first, second = peer.until(Executed)[-1], peer.until(Executed)[-1]
    assert isinstance(first, Executed)
    assert isinstance(second, Executed)
    assert first.storage_problem == ""
    reverted, waited, (change,) = first.storage_changes
    assert (reverted, waited) == ((), ())
    assert (change.address, int.from_bytes(change.slot, "big")) == (target, 0)
    assert int.from_bytes(change.before, "big") != int.from_bytes(change.after, "big")
    (code,) = first.covered
    (other,) = second.covered
    assert (code.contract, code.kind) == (other.contract, other.kind)
    assert code.contract.endswith(":Safe")
    assert code.cells != other.cells


def test_an_injected_sequence_is_credited_while_the_worker_fuzzes(peer: WorkerPeer, setup_frame: Setup):
    """It acts before the current work ends: its coverage is reported and its failure found."""
    settings = msgspec.structs.replace(setup_frame.settings, filter_functions=("Safe.open(uint256)",))
    opening = Transaction(b"\0" * 17 + b"\1\0\0", settings.contract_address, OPEN + CODE.to_bytes(32, "big"))
    peer.send(msgspec.structs.replace(setup_frame, settings=settings), Fuzz(10**12))
    peer.until(Heartbeat)
    peer.send(Inject(5, (opening,)))
    frames = peer.until(Injected)
    assert frames[-1] == Injected(5, covered=True)
    assert any(isinstance(frame, Interesting) and frame.sequence == (opening,) for frame in frames)
    assert any(isinstance(frame, Falsified) and frame.sequence == (opening,) for frame in frames)
    assert peer.until(Done)[-1].reason == "falsified"  # type: ignore[union-attr]


def test_what_steers_takes_effect_within_a_batch_of_the_current_work(peer: WorkerPeer, setup_frame: Setup):
    """Counts of a prioritized function run away from the others' though no new work was given."""
    settings = msgspec.structs.replace(setup_frame.settings, test_mode="exploration")
    peer.send(msgspec.structs.replace(setup_frame, settings=settings), Fuzz(10**12))
    peer.until(FunctionCounts)
    peer.send(Focus(prioritized=("twice(uint256)",)), AddWords(numbers=(bytes(32),)))
    template = SequenceTemplate(1, (TemplateCall(b"\xff" * 20, "nothing()"),), 0.2)
    peer.send(SetTemplates((template,)))
    assert peer.until(Warn)[-1].message.startswith("template 1 is not used")  # type: ignore[union-attr]
    first = peer.until(FunctionCounts)[-1]
    second = peer.until(FunctionCounts)[-1]
    assert isinstance(first, FunctionCounts)
    assert isinstance(second, FunctionCounts)
    made = [late - early for early, late in zip(first.calls, second.calls, strict=True)]
    assert made[1] > 8 * made[0] > 0
    assert len(second.last_new) == len(second.rarest) == 2
    assert max(second.last_new) > 0


def test_a_shrinking_worker_executes_what_is_injected(peer: WorkerPeer, setup_frame: Setup):
    """Between two candidates, with the other tests checked for that moment."""
    opening = Transaction(
        b"\0" * 17 + b"\1\0\0", setup_frame.settings.contract_address, OPEN + CODE.to_bytes(32, "big")
    )
    peer.send(setup_frame, Replay(((opening,) * 60,)))
    found = next(frame for frame in peer.until(Done) if isinstance(frame, Falsified))
    peer.send(Shrink(0, found.sequence * 30, 5_000), Inject(9, (opening,)))
    frames = peer.until(Done)
    assert Injected(9, covered=False) in frames
    assert [len(frame.sequence) for frame in frames if isinstance(frame, Shrunk)][-1] == 1


def test_a_replayed_sequence_is_checked_and_credited(peer: WorkerPeer, setup_frame: Setup):
    """A failing corpus entry is reported before any fuzzing."""
    peer.send(setup_frame, Fuzz(100_000))
    peer.until(Ready)
    found = next(frame for frame in peer.until(Done) if isinstance(frame, Falsified))
    other = WorkerPeer()
    try:
        other.send(setup_frame, Replay((found.sequence,)))
        assert any(isinstance(frame, Falsified) for frame in other.until(Done))
    finally:
        other.close()


HEAVY = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Heavy {
    uint256 private sum;
    function burn() public { while (gasleft() > 1000) sum ^= 1; }
    function echidna_slow() public view returns (bool) {
        uint256 i;
        while (gasleft() > 1000) i ^= sum;
        return true;
    }
}
"""


def test_heavy_properties_come_after_ready_and_calls_are_counted(peer: WorkerPeer, tmp_path: Path):
    """Telemetry waits for Ready, though the properties alone take longer than a heartbeat."""
    path = tmp_path / "Heavy.sol"
    path.write_text(HEAVY)
    project = compile_targets([path], CompileOptions())
    file = tmp_path / "heavy.msgpack"
    file.write_bytes(msgspec.msgpack.encode(project))
    settings = CampaignSettings(contract=project.contracts[0].full_name, property_gas=200_000_000)
    peer.send(Setup(0, 1, os.fsencode(file), settings), Fuzz(10**9))
    assert [type(frame) for frame in peer.until(Ready)] == [Hello, Ready]
    peer.until(Heartbeat)
    peer.send(Interrupt())
    assert peer.until(Done)[-1].reason == "interrupted"  # type: ignore[union-attr]


BURNING = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Burning {
    uint256 private sum;
    bool private hit;
    function burn() public { while (gasleft() > 1000) sum ^= 1; }
    function strike() public { hit = true; }
    function echidna_whole() public view returns (bool) { return !hit; }
}
"""


def test_an_injected_sequence_waits_for_no_sequence_of_heavy_calls(peer: WorkerPeer, tmp_path: Path):
    """The current sequence, a hundred calls that burn all their gas, is left for it, and another begun afterwards."""
    path = tmp_path / "Burning.sol"
    path.write_text(BURNING)
    project = compile_targets([path], CompileOptions())
    file = tmp_path / "burning.msgpack"
    file.write_bytes(msgspec.msgpack.encode(project))
    settings = CampaignSettings(
        contract=project.contracts[0].full_name,
        filter_functions=("Burning.strike()",),
        transaction_gas=100_000_000,
        sequence_length=100_000,
    )
    strike = Transaction(b"\0" * 17 + b"\1\0\0", settings.contract_address, selector("strike()"))
    peer.send(Setup(0, 1, os.fsencode(file), settings), Fuzz(50_000))
    peer.until(Ready)
    for _ in range(3):
        peer.until(Heartbeat)
    peer.send(Inject(1, (strike,)))
    frames = peer.until(Injected)
    assert frames[-1] == Injected(1, covered=True)
    assert any(isinstance(frame, Falsified) and frame.sequence == (strike,) for frame in frames)


def test_an_interrupt_ends_the_current_work_and_the_worker_stays(peer: WorkerPeer, setup_frame: Setup):
    """Done says so, and further commands are obeyed."""
    settings = msgspec.structs.replace(setup_frame.settings, test_mode="exploration")
    peer.send(msgspec.structs.replace(setup_frame, settings=settings), Fuzz(10**12))
    peer.until(Ready)
    peer.send(Interrupt())
    assert peer.until(Done)[-1].reason == "interrupted"  # type: ignore[union-attr]
    peer.send(Fuzz(100))
    assert peer.until(Done)[-1].reason == "finished"  # type: ignore[union-attr]


@pytest.mark.parametrize("ending", ["stop", "end of file"])
def test_a_worker_leaves_when_told_or_left_alone(peer: WorkerPeer, setup_frame: Setup, ending: str):
    """Both end the process with exit code 0, also during work."""
    settings = msgspec.structs.replace(setup_frame.settings, test_mode="exploration")
    peer.send(msgspec.structs.replace(setup_frame, settings=settings), Fuzz(10**12))
    peer.until(Ready)
    if ending == "stop":
        peer.send(Stop())
    else:
        assert peer.process.stdin is not None
        peer.process.stdin.close()
    assert peer.process.stdout is not None
    while os.read(peer.process.stdout.fileno(), 1 << 16):
        pass
    assert peer.process.wait() == 0


def test_a_target_that_cannot_be_fuzzed_is_a_typed_refusal(peer: WorkerPeer, setup_frame: Setup):
    """A wrong contract name comes back as E_TARGET, not as a traceback."""
    settings = msgspec.structs.replace(setup_frame.settings, contract="Nope")
    peer.send(msgspec.structs.replace(setup_frame, settings=settings))
    failed = peer.until(Failed)[-1]
    assert isinstance(failed, Failed)
    assert failed.code == "E_TARGET"
    assert peer.process.wait() == 3


def test_a_worker_dies_with_its_parent(tmp_path: Path):
    """kill -9 of the supervisor takes the worker along, though it is busy elsewhere."""
    script = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-m', 'simulator.worker'], stdin=subprocess.PIPE,"
        " stdout=subprocess.PIPE)\n"
        "child.stdout.read(5)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = psutil.Process(int(parent.stdout.readline()))
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    worker.wait(timeout=PATIENCE)
