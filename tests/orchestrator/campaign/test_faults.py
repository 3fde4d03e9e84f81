"""What happens to processes and disks, and what a campaign makes of it: real processes, scripted workers."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.orchestrator.campaign.test_resume import command, named, running, wait_for

pytestmark = pytest.mark.integration

SLOWER = {"seconds_per_frame": 0.01, "heartbeat_every": 100}


def gone(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=10)
    return all(one.status() == psutil.STATUS_ZOMBIE for one in alive)


def test_stopped_crashed_and_greedy_workers_are_replaced(tmp_path: Path):
    """SIGSTOP, SIGSEGV and a process that takes too much memory: the budget is used, everything is found, and no
    process is left."""
    config = tmp_path / "limits.yaml"
    config.write_text("workerHeartbeatTimeout: 2\nworkerMemoryLimit: 300\n")
    script = {**SLOWER, "allocate_once": str(tmp_path / "flag")}
    folder = tmp_path / "corpus"
    arguments = ("--test-limit", "60000", "--workers", "3", "--format", "json", "--config", str(config))
    with running(script, folder, *arguments) as process:
        wait_for(lambda: any("MiB" in str(event["reason"]) for event in named(folder, "WorkerRestarting")), process)
        workers = psutil.Process(process.pid).children(recursive=True)
        workers[0].send_signal(signal.SIGSTOP)
        workers[1].send_signal(signal.SIGSEGV)
        output, errors = process.communicate(timeout=50)
    assert process.returncode == 1, errors
    report = json.loads(output)
    assert report["campaign"]["calls"] >= 60_000
    assert [test["status"] for test in report["tests"]] == ["falsified", "falsified", "passed"]
    reasons = " ".join(str(event["reason"]) for event in named(folder, "WorkerRestarting"))
    assert all(part in reasons for part in ("MiB, over its limit", "was silent for more than 2 s", "SIGSEGV"))
    assert gone(workers)


@pytest.mark.parametrize(
    ("phase", "script", "code"),
    [
        ("deploying", {"seconds_per_frame": 2.0}, 130),
        ("shrinking", {"seconds_per_frame": 0.4, "falsify": {"0": 20}, "new_coverage_every": 10_000}, 1),
    ],
)
def test_an_interrupt_is_heard_in_every_phase(tmp_path: Path, phase: str, script: dict[str, object], code: int):
    """While compiling and fuzzing as well, see `test_run_campaign.py`: no traceback, no process left."""
    folder = tmp_path / "corpus"
    with running(script, folder, "--test-limit", "20", "--workers", "1", "--format", "json") as process:
        wait_for(lambda: any(event["phase"] == phase for event in named(folder, "PhaseChanged")), process)
        wait_for(lambda: psutil.Process(process.pid).children(recursive=True), process)
        workers = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    assert gone(workers)


def test_a_disk_that_takes_no_more_costs_no_finding(tmp_path: Path):
    """Files may not grow beyond some bytes, as on a full disk: each kind of file is told once, the campaign goes on to
    its end, and the report has everything."""
    folder = tmp_path / "corpus"
    result = subprocess.run(
        command({}, folder, "--test-limit", "20000", "--workers", "1", "--format", "json"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)),  # one thread here
    )
    assert result.returncode == 1, result.stderr
    assert [test["status"] for test in json.loads(result.stdout)["tests"]] == ["falsified", "falsified", "passed"]
    assert "Traceback" not in result.stderr
    for part in ("the campaign goes on without a checkpoint", "events are kept in memory", "cannot be written"):
        assert part in result.stderr
    assert not list(folder.rglob(".checkpoint*"))
