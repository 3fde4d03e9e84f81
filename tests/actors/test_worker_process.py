"""Real worker processes: death, groups, and dying with the orchestrator."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
import trio

from actors.processes.runner import scrubbed_environment
from actors.runtime.errors import ProcessNotStarted
from actors.workers.frames import FrameReader
from actors.workers.process import LocalSpawner
from simulator.worker.reports import Hello
from tests.support.patience import PATIENCE
from tests.support.process_checks import is_soon_gone

pytestmark = pytest.mark.integration

PROGRAM = Path(__file__).parents[1] / "support" / "fake_worker_program.py"
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(15, 1); time.sleep(60)"])
sys.stderr.write("one\\ntwo\\n"); sys.stderr.flush()
print(child.pid, flush=True)
time.sleep(60)
"""


def spawner(*arguments: str, folder: Path) -> LocalSpawner:
    return LocalSpawner([sys.executable, *arguments], scrubbed_environment(), folder)


async def test_a_worker_says_hello_and_leaves_at_the_end_of_its_input(tmp_path):
    """The pipes carry frames; closing them ends a well-behaved worker with code 0."""
    process = await spawner(str(PROGRAM), folder=tmp_path)(0)
    with trio.fail_after(PATIENCE):
        hello = await FrameReader(0, process).expect(Hello, PATIENCE)
        assert hello.pid == process.pid
        assert process.usage().resident > 1 << 20
        assert psutil.Process(process.pid).nice() > 0
        assert psutil.Process(process.pid).rlimit(psutil.RLIMIT_CORE) == (0, 0)
        await process._stdin.aclose()
        assert await process.wait() == 0
        await process.end()
    assert not psutil.pid_exists(process.pid)


async def test_a_killed_worker_is_noticed_at_once(tmp_path):
    """The end of the pipe and the signal are seen without waiting for a heartbeat."""
    process = await spawner(str(PROGRAM), folder=tmp_path)(0)
    with trio.fail_after(PATIENCE):
        reader = FrameReader(0, process)
        await reader.expect(Hello, PATIENCE)
        os.kill(process.pid, signal.SIGKILL)
        assert await reader.next_chunk() == []
        assert "was killed by SIGKILL" in str(await reader.lost())
        await process.end()


async def test_ending_a_worker_ends_whatever_it_started(tmp_path):
    """A process and its child that ignore SIGTERM are both gone, and its last words are kept."""
    process = await spawner("-c", STUBBORN, folder=tmp_path)(0)
    with trio.fail_after(PATIENCE):
        child = int(await process.receive())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.drain_stderr)
            await process.end()
    assert process.stderr_tail() == "one\ntwo"
    assert not psutil.pid_exists(process.pid)
    assert is_soon_gone(child)


async def test_a_program_that_does_not_exist_is_a_typed_error(tmp_path):
    """The message names the worker and the program."""
    with pytest.raises(ProcessNotStarted, match="worker 3: /no/such/program"):
        await LocalSpawner(["/no/such/program"], {}, tmp_path)(3)


def test_workers_die_with_the_orchestrator(tmp_path):
    """kill -9 of the parent leaves no worker behind."""
    parent = f"""
import sys, trio
from pathlib import Path
from actors.workers.process import LocalSpawner
async def main():
    process = await LocalSpawner([sys.executable, {str(PROGRAM)!r}], {scrubbed_environment()!r}, Path("."))(0)
    await process.receive()
    print(process.pid, flush=True)
    await trio.sleep(60)
trio.run(main)
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process:
        worker = int(process.stdout.readline())
        process.kill()
        process.wait()
    assert is_soon_gone(worker)
