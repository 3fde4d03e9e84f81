"""Runs that the process runner owns: their life, their limits, their folder, and what survives the server."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import psutil
import pytest
import trio

from actors.processes.live_run import FinishedRun
from actors.processes.owner import Owner
from actors.processes.run_meta import RunMeta, RunState, fresh_run_id
from actors.processes.run_store import RETENTION_SECONDS, RunStore
from actors.processes.runner import CommandLimits, ProcessRunner, RunRequest
from actors.runtime.errors import MailboxClosed, ProcessLimitExceeded, RunnerBusy, RunNotFound, StorageFailed
from tests.support.patience import PATIENCE
from tests.support.process_checks import appears, is_soon_gone, until

pytestmark = pytest.mark.integration

SLEEPER = "open('up', 'w').close(); import time; time.sleep(60)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPER
FAMILY = """
import os, subprocess, sys, time
sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
pids = [subprocess.Popen(sleep).pid, subprocess.Popen(sleep, start_new_session=True).pid]
reader, writer = os.pipe()
if os.fork() == 0:                      # a daemon: two forks, a session of its own, no parent left
    os.setsid()
    if (pid := os.fork()):
        os.write(writer, str(pid).encode())
        os._exit(0)
    time.sleep(60)
os.wait()
pids.append(int(os.read(reader, 20)))
open("pids", "w").write(" ".join(map(str, pids)))
os.rename("pids", "up")
print("up", flush=True)
"""


def request(folder: Path, code: str, **more: object) -> RunRequest:
    return RunRequest(tool="test.run", argv=(sys.executable, "-c", code), folder=folder, **more)  # type: ignore[arg-type]


async def serving(nursery: trio.Nursery, folder: Path, limits: CommandLimits | None = None) -> ProcessRunner:
    runner = ProcessRunner(limits, store=RunStore(folder / "runs"))
    await nursery.start(runner.serve)
    return runner


async def test_a_run_leaves_its_log_and_what_was_found(tmp_path: Path, nursery: trio.Nursery) -> None:
    """Both streams in the order of writing, the exit code, the parser's result; files are private."""

    def conclude(run: FinishedRun) -> bytes:
        return b"|".join(line.data for line in run.log.lines())

    runner = await serving(nursery, tmp_path)
    code = "import os; os.write(1, b'one\\n'); os.write(2, b'two\\n'); os.write(1, b'three'); raise SystemExit(3)"
    run = runner.start(request(tmp_path, code, conclude=conclude))
    assert run.state is RunState.QUEUED
    meta = await runner.wait(run.run_id, PATIENCE)
    assert (meta.state, meta.exit_code, meta.total_lines, meta.total_bytes) == (RunState.COMPLETED, 3, 3, 13)
    assert await runner.diagnostics(run.run_id) == b"one|two|three"
    folder = tmp_path / "runs" / run.run_id
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {file.name for file in folder.iterdir()} == {"raw.log", "raw.index", "meta.json", "diagnostics.json"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    assert runner.statistics().finished == 1


async def test_a_log_is_readable_while_the_command_runs(tmp_path: Path, nursery: trio.Nursery) -> None:
    """What has been written so far, by byte and by line."""
    runner = await serving(nursery, tmp_path)
    run = runner.start(request(tmp_path, "print('first', flush=True);" + SLEEPER))
    await appears(tmp_path / "up")
    log = await runner.log(run.run_id)
    await until(log.total_bytes)
    assert log.page(1, 5).lines[0].data == b"first"
    assert log.read(0, 100) == b"first\n"
    assert (await runner.get(run.run_id)).state is RunState.RUNNING
    assert runner.cancel(run.run_id)
    assert (await runner.wait(run.run_id, PATIENCE)).state is RunState.CANCELLED


async def test_cancelling_reaches_what_forked_away(tmp_path: Path, nursery: trio.Nursery) -> None:
    """Children, children with a session of their own, and daemons that were forked twice."""
    runner = await serving(nursery, tmp_path)
    run = runner.start(request(tmp_path, FAMILY + "time.sleep(60)"))
    await appears(tmp_path / "up")
    runner.cancel(run.run_id)
    meta = await runner.wait(run.run_id, PATIENCE)
    assert meta.exit_code == -signal.SIGTERM
    for pid in (tmp_path / "up").read_text().split():
        assert is_soon_gone(int(pid))


async def test_cancelling_reaches_what_hides(tmp_path: Path, nursery: trio.Nursery) -> None:
    """A child with a session of its own and an empty environment, as long as its parent lives."""
    hiding = "import subprocess, sys, os, time\nsleep = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
    hiding += "child = subprocess.Popen(sleep, env={}, start_new_session=True)\n"
    hiding += "open('pid', 'w').write(str(child.pid))\nos.rename('pid', 'up')\ntime.sleep(60)"
    runner = await serving(nursery, tmp_path)
    run = runner.start(request(tmp_path, hiding))
    await appears(tmp_path / "up")
    runner.cancel(run.run_id)
    await runner.wait(run.run_id, PATIENCE)
    assert is_soon_gone(int((tmp_path / "up").read_text()))


async def test_a_daemon_that_holds_the_pipes_does_not_hold_the_run(tmp_path: Path, nursery: trio.Nursery) -> None:
    """The command has ended: what it left gets a second, then it is ended too."""
    runner = await serving(nursery, tmp_path)
    run = runner.start(request(tmp_path, FAMILY))
    meta = await runner.wait(run.run_id, PATIENCE)
    assert (meta.state, meta.exit_code) == (RunState.COMPLETED, 0)
    for pid in (tmp_path / "up").read_text().split():
        assert is_soon_gone(int(pid))


async def test_a_process_that_ignores_sigterm_is_killed(tmp_path: Path, nursery: trio.Nursery) -> None:
    """SIGKILL follows after the grace."""
    runner = await serving(nursery, tmp_path)
    run = runner.start(request(tmp_path, STUBBORN))
    await appears(tmp_path / "up")
    runner.cancel(run.run_id)
    assert (await runner.wait(run.run_id, PATIENCE)).exit_code == -signal.SIGKILL


async def test_a_queued_run_is_cancelled_without_being_started(tmp_path: Path, nursery: trio.Nursery) -> None:
    """One at a time: the second waits, is cancelled, and its command never runs; the third gets its turn."""
    runner = await serving(nursery, tmp_path, CommandLimits(at_once=1, queue=2))
    first = runner.start(request(tmp_path, SLEEPER))
    await appears(tmp_path / "up")
    second = runner.start(request(tmp_path, "open('never', 'w')"))
    third = runner.start(request(tmp_path, "open('third', 'w')"))
    await trio.testing.wait_all_tasks_blocked()
    assert runner.statistics().queued == 2
    with pytest.raises(RunnerBusy, match="2 commands are waiting"):
        runner.start(request(tmp_path, "pass"))
    runner.cancel(second.run_id)
    cancelled = await runner.wait(second.run_id, PATIENCE)
    assert (cancelled.state, cancelled.started_at, cancelled.exit_code) == (RunState.CANCELLED, None, None)
    runner.cancel(first.run_id)
    assert (await runner.wait(third.run_id, PATIENCE)).state is RunState.COMPLETED
    assert not (tmp_path / "never").exists()
    assert runner.statistics().cancelled == 2


@pytest.mark.parametrize(
    ("limits", "code", "state", "problem"),
    [
        (CommandLimits(seconds=0.5), SLEEPER, RunState.TIMED_OUT, "did not end within 0.5 s"),
        (
            CommandLimits(output=100_000),
            "while True: print('x' * 999)",
            RunState.OUTPUT_LIMIT,
            "more than 100000 bytes",
        ),
        (CommandLimits(memory=64 << 20), "x = b'x' * (200 << 20);" + SLEEPER, RunState.MEMORY_LIMIT, "of memory"),
    ],
)
async def test_limits_end_a_run(
    tmp_path: Path, nursery: trio.Nursery, limits: CommandLimits, code: str, state: RunState, problem: str
) -> None:
    """Time, output and memory; the log ends at its limit and says so."""
    runner = await serving(nursery, tmp_path, limits)
    run = runner.start(request(tmp_path, code))
    meta = await runner.wait(run.run_id, PATIENCE)
    assert meta.state is state
    assert problem in meta.problem
    assert meta.total_bytes <= limits.output + 100
    assert runner.statistics().failed == 1
    if state is RunState.OUTPUT_LIMIT:
        assert (await runner.log(run.run_id)).read(99_900, 1_000).endswith(b"[output truncated: the log ends here]\n")


async def test_a_missing_program_is_a_state(tmp_path: Path, nursery: trio.Nursery) -> None:
    """The run exists and says why nothing ran; a refusal of permission is told apart."""
    runner = await serving(nursery, tmp_path)
    run = runner.start(RunRequest(tool="test.run", argv=("/no/such/program",), folder=tmp_path))
    meta = await runner.wait(run.run_id, PATIENCE)
    assert (meta.state, meta.refused) == (RunState.NOT_STARTED, False)
    (tmp_path / "plain").write_text("")
    run = runner.start(RunRequest(tool="test.run", argv=(str(tmp_path / "plain"),), folder=tmp_path))
    assert (await runner.wait(run.run_id, PATIENCE)).refused


async def test_a_log_that_cannot_be_written_ends_its_run_only(tmp_path: Path, nursery: trio.Nursery) -> None:
    """Its file is gone to a full device: the command is ended, the next run is well."""
    runner = await serving(nursery, tmp_path)
    run = runner.start(
        request(tmp_path, SLEEPER.replace("time.sleep(60)", "print('x' * 99, flush=True); time.sleep(60)"))
    )
    live = runner._live[run.run_id]
    assert live.folder is not None
    os.dup2(os.open("/dev/full", os.O_WRONLY), live.folder._log)
    meta = await runner.wait(run.run_id, PATIENCE)
    assert meta.state is RunState.STORAGE_FAILED
    assert "No space left" in meta.problem
    assert meta.exit_code == -signal.SIGTERM
    again = runner.start(request(tmp_path, "pass"))
    assert (await runner.wait(again.run_id, PATIENCE)).state is RunState.COMPLETED


async def test_a_run_whose_folder_is_gone_has_ended_all_the_same(tmp_path: Path, nursery: trio.Nursery) -> None:
    """Also for those who ask later: what its files say, where there are any, is out of date."""
    runner = await serving(nursery, tmp_path)
    run = runner.start(request(tmp_path, SLEEPER, conclude=lambda finished: b"{}"))
    await appears(tmp_path / "up")
    shutil.rmtree(tmp_path / "runs")
    runner.cancel(run.run_id)
    assert (await runner.wait(run.run_id, PATIENCE)).state is RunState.CANCELLED
    assert (await runner.get(run.run_id)).state is RunState.CANCELLED
    assert [meta.state for meta in await runner.runs()] == [RunState.CANCELLED]
    with pytest.raises(RunNotFound):
        await runner.log(run.run_id)


async def test_a_store_that_cannot_be_made_refuses_the_start(tmp_path: Path, nursery: trio.Nursery) -> None:
    """A typed error with the path; `run` does without a record."""
    (tmp_path / "runs").write_text("in the way")
    runner = await serving(nursery, tmp_path)
    with pytest.raises(StorageFailed, match="runs: cannot be made"):
        runner.start(request(tmp_path, "pass"))
    result = await runner.run([sys.executable, "-c", "print('fine')"], folder=tmp_path)
    assert result.stdout == b"fine\n"


async def test_stopping_the_server_ends_its_runs(tmp_path: Path) -> None:
    """No process is left, logs are whole, and the runs say that they were cancelled, with an exit code."""
    runner = ProcessRunner(store=RunStore(tmp_path / "runs"))
    async with trio.open_nursery() as nursery:
        await nursery.start(runner.serve)
        run = runner.start(request(tmp_path, FAMILY + "time.sleep(60)"))
        await appears(tmp_path / "up")
        nursery.cancel_scope.cancel()
    for pid in (tmp_path / "up").read_text().split():
        assert is_soon_gone(int(pid))
    meta = RunStore(tmp_path / "runs").get(run.run_id)
    assert (meta.state, meta.exit_code, meta.total_lines) == (RunState.CANCELLED, -signal.SIGTERM, 1)
    with pytest.raises(MailboxClosed):
        runner.start(request(tmp_path, "pass"))


async def test_commands_of_callers_are_recorded_too(tmp_path: Path, nursery: trio.Nursery) -> None:
    """With the first MiB of what they wrote, and they can be cancelled by their id."""
    runner = await serving(nursery, tmp_path)
    await runner.run([sys.executable, "-c", "print('x' * 3_000_000)"], folder=tmp_path, tool="campaign.compile")
    (meta,) = await runner.runs()
    assert (meta.tool, meta.state, meta.exit_code) == ("campaign.compile", RunState.COMPLETED, 0)
    assert meta.total_bytes <= 1 << 20

    async def cancel_soon() -> None:
        await appears(tmp_path / "up")
        assert runner.cancel((await runner.runs())[0].run_id)

    nursery.start_soon(cancel_soon)
    with pytest.raises(ProcessLimitExceeded, match="was cancelled"):
        await runner.run([sys.executable, "-c", SLEEPER], folder=tmp_path)


SERVER = """
import sys, trio
from pathlib import Path
from actors.processes.runner import ProcessRunner, RunRequest
from actors.processes.run_store import RunStore

async def main():
    runner = ProcessRunner(store=RunStore(Path("runs")))
    async with trio.open_nursery() as nursery:
        await nursery.start(runner.serve)
        code = "import os, time; print('line', os.getpid(), flush=True); time.sleep(60)"
        request = RunRequest(tool="a.b", argv=(sys.executable, "-c", code), folder=Path.cwd())
        print(runner.start(request).run_id, flush=True)

trio.run(main)
"""


async def test_a_run_of_a_killed_server_is_interrupted(tmp_path: Path, nursery: trio.Nursery) -> None:
    """The next server tells it, keeps its log, and ends the command that was left behind."""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    server = subprocess.Popen(  # noqa: ASYNC220  # the test kills it
        [sys.executable, "-c", SERVER], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    run_id = server.stdout.readline().strip()
    other = RunStore(tmp_path / "runs")
    # What the killed server had not read of the pipe would be lost with it.
    await until(lambda: other.get(run_id).state is RunState.RUNNING and other.log(run_id).total_lines() == 1)
    server.kill()
    server.wait()
    server.stdout.close()
    assert other.get(run_id).state is RunState.INTERRUPTED
    runner = await serving(nursery, tmp_path)
    meta = await runner.get(run_id)
    assert (meta.state, meta.total_lines) == (RunState.INTERRUPTED, 1)
    assert meta.completed_at is not None
    word, pid = (await runner.log(run_id)).read(0, 100).split()
    assert word == b"line"
    assert is_soon_gone(int(pid))
    assert not runner.cancel(run_id)


def stored_run(store: RunStore, **changes: object) -> RunMeta:
    me = Owner(os.getpid(), psutil.Process().create_time())
    meta = RunMeta(
        run_id=fresh_run_id(), tool="a.b", command=("x",), cwd="/", state=RunState.COMPLETED, owner=me, queued_at=0.0
    )
    meta = msgspec.structs.replace(meta, **changes)
    store.create(meta).close()
    return meta


def test_runs_are_kept_for_fourteen_days(tmp_path: Path) -> None:
    """Counted from their end; open runs of a living server stay however old they are."""
    store = RunStore(tmp_path / "runs")
    old = stored_run(store, completed_at=1_000.0)
    young = stored_run(store, completed_at=1_001.0)
    living = stored_run(store, state=RunState.RUNNING, queued_at=1.0)
    store.clean(1_000.5 + RETENTION_SECONDS)
    assert {meta.run_id for meta in store.every()} == {young.run_id, living.run_id}
    with pytest.raises(RunNotFound):
        store.get(old.run_id)
    RunStore(store.folder, retention=0.0).clean(1_001.5)
    assert {meta.run_id for meta in store.every()} == {living.run_id}


@pytest.mark.parametrize(
    "run_id", ["", "abc123", "../../etc", "e5f6g7h8-", "00000000-0000-0000-0000-000000000000", "x" * 300, "a\0b"]
)
def test_only_uuids_become_paths(tmp_path: Path, run_id: str) -> None:
    """Anything else is a run that does not exist."""
    (tmp_path / "meta.json").write_text("{}")
    store = RunStore(tmp_path / "runs")
    for ask in (store.get, store.log):
        with pytest.raises(RunNotFound, match="Run not found"):
            ask(run_id)


def test_damaged_folders_are_passed_over(tmp_path: Path) -> None:
    """A run without a readable `meta.json`, a link, and other files are none."""
    store = RunStore(tmp_path / "runs")
    good, bad = stored_run(store), stored_run(store)
    (store.folder / bad.run_id / "meta.json").write_bytes(b"\xff{")
    (store.folder / fresh_run_id()).symlink_to(store.folder / good.run_id)
    (store.folder / "notes").mkdir()
    assert [meta.run_id for meta in store.every()] == [good.run_id]
    store.clean(0.0)
    assert (store.folder / bad.run_id).exists()
    store.clean((store.folder / bad.run_id).stat().st_mtime + RETENTION_SECONDS + 1)
    assert not (store.folder / bad.run_id).exists()
    assert (store.folder / "notes").exists()


def test_a_folder_with_a_file_of_the_users_is_never_removed(tmp_path: Path) -> None:
    """Whatever it is called and however old it is: nothing in it was proved to be a run's."""
    store = RunStore(tmp_path / "runs")
    old = store.folder / stored_run(store, completed_at=1.0).run_id
    (old / "notes.txt").write_text("mine")
    foreign = store.folder / fresh_run_id()
    (foreign / "src").mkdir(parents=True)
    store.clean(1e12)
    assert (old / "notes.txt").exists()
    assert (old / "raw.log").exists()
    assert (foreign / "src").exists()
