"""The process runner with real commands."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile

import pytest
import trio

from actors.processes import captured
from actors.processes.runner import CommandLimits, ProcessRunner, scrubbed_environment
from actors.runtime.errors import ProcessLimitExceeded, ProcessNotStarted
from tests.support.patience import until, wait_for
from tests.support.process_checks import is_soon_gone

pytestmark = pytest.mark.integration

FAMILY = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("child", "w").write(str(child.pid))
print("up", flush=True)
time.sleep(60)
"""


def has_written(path: Path) -> bool:
    return path.exists() and bool(path.read_text())


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


async def test_a_command_gets_its_input_folder_and_environment(tmp_path):
    """Exit code and both outputs come back; the environment is exactly the given one."""
    code = "import os, sys; sys.stderr.write(sys.stdin.read()); print(os.getcwd(), sorted(os.environ)); sys.exit(7)"
    runner = ProcessRunner(environment={"ONLY": "this"})
    result = await runner.run(python(code), stdin=b"hello", folder=tmp_path)
    assert (result.returncode, result.stderr) == (7, b"hello")
    assert str(tmp_path) in result.stdout.decode()
    assert "ONLY" in result.stdout.decode()
    assert "PATH" not in result.stdout.decode()
    assert runner.statistics().finished == 1


async def test_large_input_and_output_do_not_block_each_other(tmp_path):
    """Megabytes go through both ways at the same time."""
    data = b"x" * 3_000_000
    result = await ProcessRunner().run(
        python("import sys, shutil; shutil.copyfileobj(sys.stdin, sys.stdout)"), stdin=data, folder=tmp_path
    )
    assert result.stdout == data


async def test_a_command_need_not_read_its_input(tmp_path):
    """A broken pipe is no error."""
    result = await ProcessRunner().run(python("print('done')"), stdin=b"x" * 1_000_000, folder=tmp_path)
    assert (result.returncode, result.stdout) == (0, b"done\n")


async def test_a_command_over_its_time_is_killed_with_its_children(mock_clock, tmp_path):
    """The whole group is gone when the error is raised. Time stands still until there is a family."""

    async def run() -> None:
        with pytest.raises(ProcessLimitExceeded, match=r"did not end within 2 s"):
            await ProcessRunner().run(python(FAMILY), folder=tmp_path, seconds=2)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await trio.to_thread.run_sync(wait_for, partial(has_written, tmp_path / "child"))
        mock_clock.jump(3.0)
    assert is_soon_gone(int((tmp_path / "child").read_text()))


async def test_a_command_that_writes_too_much_is_killed(tmp_path):
    """Output beyond the cap is neither kept nor waited for."""
    runner = ProcessRunner(CommandLimits(output=100_000))
    with pytest.raises(ProcessLimitExceeded, match="more than 100000 bytes"):
        await runner.run(python("while True: print('x' * 1000)"), folder=tmp_path)
    assert runner.statistics().failed == 1


async def test_output_on_its_way_is_not_in_memory(tmp_path, monkeypatch):
    """What exceeds a few MiB waits on the disk; a caller may lower the limit, and the error says it."""
    kept = []

    class Recorded(SpooledTemporaryFile):
        def rollover(self):
            kept.append(self.tell())
            super().rollover()

    monkeypatch.setattr(captured, "SpooledTemporaryFile", Recorded)
    runner = ProcessRunner()
    code = "import sys; sys.stdout.buffer.write(bytes(30_000_000))"
    result = await runner.run([sys.executable, "-c", code], folder=tmp_path)
    assert len(result.stdout) == 30_000_000
    assert len(kept) == 1
    assert kept[0] <= captured.IN_MEMORY + (1 << 20)
    with pytest.raises(ProcessLimitExceeded, match="more than 20000000 bytes"):
        await runner.run([sys.executable, "-c", code], folder=tmp_path, output=20_000_000)


async def test_cancelling_the_caller_kills_the_group(tmp_path):
    """Nothing is left of a cancelled command."""

    async def run(scope: trio.CancelScope) -> None:
        with scope:
            await ProcessRunner().run(python(FAMILY), folder=tmp_path)

    async with trio.open_nursery() as nursery:
        scope = trio.CancelScope()
        nursery.start_soon(run, scope)
        await until(partial(has_written, tmp_path / "child"))
        scope.cancel()
    assert is_soon_gone(int((tmp_path / "child").read_text()))


async def test_a_missing_program_is_a_typed_error(tmp_path):
    """The message names it."""
    with pytest.raises(ProcessNotStarted, match="/no/such/program cannot be started: No such file"):
        await ProcessRunner().run(["/no/such/program"], folder=tmp_path)


def test_the_environment_is_scrubbed(monkeypatch):
    """Secrets and Python paths of this process do not reach commands."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("MONOTREME_CACHE", "/cache")
    environment = scrubbed_environment(EXTRA="1")
    assert environment["MONOTREME_CACHE"] == "/cache"
    assert environment["EXTRA"] == "1"
    assert not {"AWS_SECRET_ACCESS_KEY", "PYTHONPATH"} & set(environment)
