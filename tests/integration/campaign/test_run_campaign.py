"""Whole campaigns in real processes: the command in one, its workers in others, people pressing Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.support import patience
from tests.support.patience import PATIENCE
from tests.support.process_checks import are_soon_gone

pytestmark = pytest.mark.integration

SUPPORT = Path(__file__).parents[2] / "support"
PROGRAM = SUPPORT / "campaign_program.py"
SLOW = {"seconds_per_frame": 0.002}
ENDLESS = {**SLOW, "falsify": {}}


def command(script: dict[str, object], *arguments: str) -> list[str]:
    return [sys.executable, str(PROGRAM), json.dumps(script), *arguments]


def run(script: dict[str, object], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(script, *arguments), capture_output=True, text=True, timeout=PATIENCE, check=False)


@contextmanager
def running(tmp_path: Path, script: dict[str, object], *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A campaign that has started fuzzing."""
    folder = tmp_path / "corpus"
    process = subprocess.Popen(
        command(script, "--corpus-dir", str(folder), *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: '"fuzzing"' in events_text(tmp_path), process)
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(condition, process: subprocess.Popen[str]) -> None:
    def is_so() -> bool:
        assert process.poll() is None, process.communicate()[1]
        return condition()

    patience.wait_for(is_so)


def events_text(tmp_path: Path) -> str:
    path = tmp_path / "corpus" / "events.jsonl"
    return path.read_text() if path.exists() else ""


def events(tmp_path: Path) -> list[dict[str, object]]:
    return [json.loads(line)["event"] for line in events_text(tmp_path).splitlines()]


def family(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def sleeps(process: psutil.Process) -> bool:
    try:
        return "sleep" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


def assert_gone(processes: list[psutil.Process]) -> None:
    assert are_soon_gone(processes)


def test_json_is_one_document_and_the_same_for_one_worker(tmp_path):
    """stdout holds the report alone; two runs differ in nothing but times; findings give exit code 1."""
    reports = []
    for _ in range(2):
        result = run({}, "--seed", "1", "--workers", "1", "--test-limit", "20000", "--format", "json")
        assert result.returncode == 1
        report = json.loads(result.stdout)
        assert report["campaign"].pop("duration") > 0
        assert report["campaign"].pop("callsPerSecond") > 0
        assert report["run"].pop("made")
        reports.append(report)
    assert reports[0] == reports[1]
    assert reports[0]["campaign"]["calls"] == 20_000
    assert [test["status"] for test in reports[0]["tests"]] == ["falsified", "falsified", "passed"]
    assert [len(test["reproducer"]) for test in reports[0]["tests"]] == [2, 2, 0]


def test_a_campaign_without_findings_exits_with_zero():
    """Nothing found, nothing wrong."""
    assert run({"falsify": {}}, "--test-limit", "5000", "--format", "none").returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.nightly)])
def test_a_signal_ends_it_with_report_and_corpus(tmp_path, number):
    """130 without findings; the corpus is on disk, the log is complete, no process is left."""
    with running(tmp_path, ENDLESS, "--timeout", "3600", "--workers", "2", "--format", "json") as process:
        wait_for(lambda: "CoverageIncreased" in events_text(tmp_path), process)
        workers = family(process)
        process.send_signal(number)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert json.loads(output)["campaign"]["stopReason"] == "interrupted"
    assert_gone(workers)
    log = events(tmp_path)
    kept = sum(event["type"] == "CoverageIncreased" for event in log)
    assert len(list((tmp_path / "corpus" / "coverage").glob("*.txt"))) == kept
    assert log[-1] == {"type": "PhaseChanged", "phase": "finished"}


def test_a_signal_while_compiling_ends_the_compiler(tmp_path):
    """130, nothing on stdout, no compiler left."""
    arguments = ("--corpus-dir", str(tmp_path / "corpus"), "--format", "json")
    process = subprocess.Popen(
        command({"slow_compiler": 1}, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # Importing may run short programs of its own; the compiler sleeps.
    wait_for(lambda: any(map(sleeps, family(process))), process)
    compilers = family(process)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (130, ""), errors
    assert "Traceback" not in errors
    assert_gone(compilers)


def test_an_interrupted_campaign_with_findings_exits_with_one(tmp_path):
    """What was found before Ctrl-C is reported."""
    with running(tmp_path, SLOW, "--timeout", "3600", "--format", "json") as process:
        wait_for(lambda: "TestDecided" in events_text(tmp_path), process)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert json.loads(output)["tests"][0]["status"] == "falsified"
    assert list((tmp_path / "corpus" / "reproducers").glob("*.txt"))


def test_a_second_signal_does_not_wait_for_workers(tmp_path):
    """With workers stopped (SIGSTOP) the first signal waits for them; the second ends them and reports."""
    with running(tmp_path, ENDLESS, "--timeout", "3600", "--workers", "2", "--format", "json") as process:
        workers = family(process)
        for worker in workers:
            worker.suspend()
        # Two of the same kind may become one where nobody has taken notice of the first yet.
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert json.loads(output)["campaign"]["stopReason"] == "interrupted"
    assert_gone(workers)


def test_killed_workers_are_replaced_and_everything_is_found(tmp_path):
    """kill -9 of each worker costs neither budget nor findings."""
    slower = {"seconds_per_frame": 0.01, "heartbeat_every": 100}
    with running(tmp_path, slower, "--test-limit", "60000", "--workers", "2", "--format", "json") as process:
        for worker in family(process):
            worker.kill()
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, errors
    report = json.loads(output)
    assert report["campaign"]["calls"] >= 60_000
    assert [test["status"] for test in report["tests"]] == ["falsified", "falsified", "passed"]
    restarts = [event for event in events(tmp_path) if event["type"] == "WorkerRestarting"]
    assert len(restarts) == 2
    assert all("SIGKILL" in str(event["reason"]) for event in restarts)


def test_a_killed_orchestrator_takes_its_workers_with_it(tmp_path):
    """kill -9 of the command leaves no process, and a corpus that the next campaign loads."""
    with running(tmp_path, ENDLESS, "--timeout", "3600", "--workers", "2") as process:
        wait_for(lambda: "CoverageIncreased" in events_text(tmp_path), process)
        workers = family(process)
        process.kill()
        process.wait()
        assert_gone(workers)
    files = len(list((tmp_path / "corpus" / "coverage").glob("*.txt")))
    assert files > 0
    arguments = ("--corpus-dir", str(tmp_path / "corpus"), "--test-limit", "1000", "--format", "json")
    again = run({"falsify": {}, "most_coverage": 0}, *arguments)
    assert json.loads(again.stdout)["corpus"]["sequences"] == files


def test_what_is_loaded_from_the_corpus_folder_is_told(tmp_path):
    """The number of sequences and the folder; with --resume also that there is nothing, otherwise not."""
    folder = tmp_path / "corpus"
    arguments = ("--corpus-dir", str(folder), "--test-limit", "20000", "--seed", "1")
    first = run({}, *arguments)
    assert "Loaded" not in first.stderr
    assert "resume" not in first.stderr
    files = sum(len(list((folder / name).glob("*.txt"))) for name in ("coverage", "reproducers"))
    assert f"Loaded {files} sequences from {folder}\n" in run({}, *arguments).stderr
    empty = tmp_path / "empty"
    again = run({}, "--corpus-dir", str(empty), "--test-limit", "1000", "--resume")
    assert f"There is nothing to resume: {empty} holds no sequences\n" in again.stderr


def test_two_campaigns_cannot_use_one_folder(tmp_path):
    """The second one is told so and exits with 2; the first continues."""
    with running(tmp_path, ENDLESS, "--timeout", "3600") as process:
        second = run({}, "--corpus-dir", str(tmp_path / "corpus"), "--test-limit", "1000")
        assert second.returncode == 2
        assert "another campaign is using this folder" in second.stderr
        assert process.poll() is None


@pytest.mark.nightly
def test_workers_that_cannot_start_are_an_infrastructure_error():
    """No traceback, exit code 3, and the last words of the worker."""
    result = run({"exit_at_start": 7}, "--test-limit", "1000", "--workers", "1")
    assert result.returncode == 3
    assert result.stderr.splitlines()[-1] == (
        "error: worker 0 failed 6 times within 60 s, the last time it exited with code 7"
    )
    assert "is given up" not in result.stderr
    assert "Traceback" not in result.stderr


def test_a_corpus_folder_that_cannot_be_written_is_said_at_once(tmp_path):
    """A file where the folder should be: exit code 2 before anything is started."""
    (tmp_path / "corpus").write_text("")
    result = run({}, "--corpus-dir", str(tmp_path / "corpus"), "--test-limit", "1000")
    assert result.returncode == 2
    assert str(tmp_path / "corpus") in result.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_corpus_folder_is_said_at_once(tmp_path):
    """The message names the folder."""
    folder = tmp_path / "corpus"
    folder.mkdir(mode=0o555)
    result = run({}, "--corpus-dir", str(folder), "--test-limit", "1000")
    assert result.returncode == 2
    assert str(folder) in result.stderr
