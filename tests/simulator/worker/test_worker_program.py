"""The worker program as its supervisor meets it: a process with two pipes."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from simulator.compile import CompileOptions, compile_targets
from simulator.settings import CampaignSettings
from simulator.worker.framing import FrameDecoder, encode_frame
from simulator.worker.protocol import (
    Done,
    Execute,
    Executed,
    Failed,
    Falsified,
    FromWorker,
    Fuzz,
    Heartbeat,
    Hello,
    Interrupt,
    Ready,
    Replay,
    Setup,
    Shrink,
    Shrunk,
    Stop,
)

pytestmark = pytest.mark.integration

SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Safe {
    uint256 private opened;
    function open(uint256 code) public { require(code == 918273645, "wrong code"); opened += 1; }
    function echidna_closed() public view returns (bool) { return opened == 0; }
}
"""


class WorkerPeer:
    """The supervisor's end of one worker process."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "simulator.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._decoder: FrameDecoder[FromWorker] = FrameDecoder(FromWorker)  # type: ignore[arg-type]
        self._frames: list[FromWorker] = []

    def close(self) -> None:
        with self.process:
            self.process.kill()

    def send(self, *frames: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(map(encode_frame, frames)))
        self.process.stdin.flush()

    def until(self, kind: type) -> list[FromWorker]:
        """All frames up to and including the next one of a kind; those before it too."""
        assert self.process.stdout is not None
        while not any(isinstance(frame, kind) for frame in self._frames):
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, f"the worker ended with {self.process.wait()}"
            self._frames += self._decoder.feed(data)
        index = next(i for i, frame in enumerate(self._frames) if isinstance(frame, kind))
        seen, self._frames = self._frames[: index + 1], self._frames[index + 1 :]
        return seen


@pytest.fixture
def peer() -> Iterator[WorkerPeer]:
    peer = WorkerPeer()
    yield peer
    peer.close()


@pytest.fixture
def setup_frame(tmp_path: Path) -> Setup:
    path = tmp_path / "Safe.sol"
    path.write_text(SOURCE)
    project = compile_targets([path], CompileOptions())
    file = tmp_path / "project.msgpack"
    file.write_bytes(msgspec.msgpack.encode(project))
    return Setup(0, 1, str(file), CampaignSettings(contract=project.contracts[0].full_name))


def test_a_worker_finds_shrinks_and_replays_a_failure(peer: WorkerPeer, setup_frame: Setup):
    """Hello, Ready, then each work ends with one Done; the shrunk sequence still fails when executed."""
    peer.send(setup_frame, Fuzz(100_000))
    assert isinstance(peer.until(Hello)[0], Hello)
    ready = peer.until(Ready)[-1]
    assert isinstance(ready, Ready)
    assert [test.name for test in ready.tests] == ["echidna_closed"]
    frames = peer.until(Done)
    found = next(frame for frame in frames if isinstance(frame, Falsified))
    assert frames[-1] == Done(frames[-1].calls, "falsified")
    peer.send(Shrink(0, found.sequence, 1000))
    shrunk = next(frame for frame in peer.until(Done) if isinstance(frame, Shrunk))
    assert shrunk.minimal
    assert len(shrunk.sequence) == 1
    assert "open(918273645)" in "".join(shrunk.trace)
    peer.send(Execute(7, shrunk.sequence, trace=True))
    executed = peer.until(Executed)[-1]
    assert isinstance(executed, Executed)
    assert (executed.id, executed.outcomes[0].success) == (7, True)


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
    peer.send(Setup(0, 1, str(file), settings), Fuzz(10**9))
    assert [type(frame) for frame in peer.until(Ready)] == [Hello, Ready]
    peer.until(Heartbeat)
    peer.send(Interrupt())
    assert peer.until(Done)[-1].reason == "interrupted"  # type: ignore[union-attr]


def test_an_interrupt_ends_the_work_in_hand_and_the_worker_stays(peer: WorkerPeer, setup_frame: Setup):
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
    worker.wait(timeout=5)
