"""Faults of processes and disks, and what a campaign makes of them: real processes, scripted workers."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from simulator.corpus.store import CorpusStore, Folder
from tests.integration.campaign.test_resume import command, named, running, wait_for
from tests.support.fake_worker import FakeBrain
from tests.support.patience import PATIENCE
from tests.support.process_checks import are_soon_gone

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
SLOWER = {"seconds_per_frame": 0.01, "heartbeat_every": 100}


def test_stopped_crashed_and_greedy_workers_are_replaced(tmp_path: Path):
    """SIGSTOP, SIGSEGV and a process that takes too much memory: each is named and replaced, everything is found, and
    no process is left."""
    config = tmp_path / "limits.yaml"
    config.write_text("workerHeartbeatTimeout: 2\nworkerMemoryLimit: 300\n")
    script = {**SLOWER, "allocate_once": str(tmp_path / "flag")}
    folder = tmp_path / "corpus"
    arguments = ("--test-limit", "100000000", "--workers", "3", "--format", "json", "--config", str(config))
    with running(script, folder, *arguments) as process:

        def have_started(processes: int) -> bool:
            return len(named(folder, "WorkerStarted")) == processes

        def is_decided(tests: int) -> bool:
            return len(named(folder, "TestDecided")) == tests

        # A signal proves nothing when it reaches the greedy process on its way out, so its successor comes first.
        wait_for(lambda: have_started(4), process)
        stopped, crashed, _ = workers = psutil.Process(process.pid).children(recursive=True)
        stopped.send_signal(signal.SIGSTOP)
        crashed.send_signal(signal.SIGSEGV)
        wait_for(lambda: have_started(6) and is_decided(2), process)
        workers += psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, errors
    assert [test["status"] for test in json.loads(output)["tests"]] == ["falsified", "falsified", "passed"]
    reasons = " ".join(str(event["reason"]) for event in named(folder, "WorkerRestarting"))
    for part in ("MiB, over its limit", "was silent for more than 2 s", "SIGSEGV"):
        assert part in reasons
    assert are_soon_gone(workers)


def fill_corpus(folder: Path, sequences: int = 300) -> None:
    brain = FakeBrain()
    store = CorpusStore(folder, lambda _: None)
    for _ in range(sequences):
        store.save(Folder.COVERAGE, brain.sequence())


def saved(folder: Path) -> set[str]:
    return {path.name for part in ("coverage", "reproducers") for path in (folder / part).glob("*.txt")}


QUIET = {"falsify": {}, "most_coverage": 0}


@pytest.mark.parametrize(
    ("phase", "script", "code"),
    [
        ("deploying", {"seconds_per_frame": 2.0}, 130),
        ("replaying corpus", {"seconds_per_frame": 0.7, **QUIET}, 130),
        ("shrinking", {"seconds_per_frame": 0.4, "falsify": {"0": 20}, "new_coverage_every": 10_000}, 1),
        pytest.param("reporting", {"slow_report": 1, **QUIET}, 0, marks=pytest.mark.nightly),
    ],
)
def test_an_interrupt_is_heard_in_every_phase(tmp_path: Path, phase: str, script: dict[str, object], code: int):
    """While compiling and fuzzing as well, see `test_run_campaign.py`: no traceback, no process left, and nothing of
    the corpus is lost. Once reports are being made, they are finished."""
    folder = tmp_path / "corpus"
    fill_corpus(folder)
    before = saved(folder)
    with running(script, folder, "--test-limit", "20", "--workers", "1", "--format", "json") as process:
        workers: list[psutil.Process] = []

        def is_there() -> bool:
            workers.extend(psutil.Process(process.pid).children(recursive=True))
            return any(event["phase"] == phase for event in named(folder, "PhaseChanged")) and bool(workers)

        wait_for(is_there, process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    assert json.loads(output)["campaign"]["stopReason"]
    assert before <= saved(folder)
    assert not list(folder.rglob(".*.tmp"))
    assert are_soon_gone(workers)


@pytest.mark.nightly
def test_an_interrupt_ends_a_replay_of_commands(tmp_path: Path):
    """As it ends a campaign: exit code, report, no process left."""
    log = tmp_path / "log.jsonl"
    entry = {"timestamp": "2026-11-22T01:10:27.042Z", "tool": "exclude_function", "args": {"function": "poke"}}
    log.write_text(json.dumps({**entry, "result": "success", "calls": 2_000}) + "\n")
    folder = tmp_path / "corpus"
    script = json.dumps({"seconds_per_frame": 0.002, "falsify": {}})
    program = [sys.executable, "-m", "tests.support.agents_program", script, "replay-commands", str(log), __file__]
    limits = ["--timeout", "3600", "--workers", "1", "--corpus-dir", str(folder), "--format", "json"]
    process = subprocess.Popen([*program, *limits], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        wait_for(lambda: named(folder, "Steered"), process)
        workers = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert json.loads(output)["campaign"]["stopReason"] == "interrupted"
    assert are_soon_gone(workers)


def test_files_that_may_not_grow_cost_no_finding(tmp_path: Path):
    """Files may not grow beyond some bytes, as on a full disk: each kind of file is told once, the campaign continues
    to its end, and the report has everything."""
    folder = tmp_path / "corpus"
    result = subprocess.run(
        command({}, folder, "--test-limit", "20000", "--workers", "1", "--format", "json"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)),  # one thread here
    )
    assert result.returncode == 1, result.stderr
    assert [test["status"] for test in json.loads(result.stdout)["tests"]] == ["falsified", "falsified", "passed"]
    assert "Traceback" not in result.stderr
    for part in ("the campaign continues without a checkpoint", "events are kept in memory", "cannot be written"):
        assert part in result.stderr
    assert not list(folder.rglob(".checkpoint*"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "monotreme", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"this user may not mount a tmpfs: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_costs_no_finding(small_disk: Path):
    """A file system without space, which has some again later: events, checkpoint and corpus files are written then,
    the campaign and its report are whole."""
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    folder = small_disk / "corpus"
    folder.mkdir()
    (folder / ".keep").touch()
    script = {"seconds_per_frame": 0.01, "heartbeat_every": 100}
    with running(script, folder, "--test-limit", "40000", "--workers", "1", "--format", "json") as process:
        for line in process.stderr:
            if "corpus files" in line or "cannot be written" in line:
                break
        ballast.unlink()
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, errors
    assert "Traceback" not in errors
    report = json.loads(output)
    assert [test["status"] for test in report["tests"]] == ["falsified", "falsified", "passed"]
    assert len(saved(folder)) == report["corpus"]["sequences"]
    assert named(folder, "EventFileRestored")
    assert (folder / "checkpoint.json").exists()
