"""The whole program on an example that ships: real compiler, real kernel, real worker processes."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import chain
from pathlib import Path

import psutil
import pytest

from tests.support.patience import PATIENCE, wait_for

pytestmark = pytest.mark.integration

TOKEN = Path(__file__).parents[3] / "examples" / "token"


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "orchestrator", "fuzz", str(TOKEN), "--seed", "1", "--format", "json", *arguments]


def run(*arguments: str) -> dict[str, object]:
    result = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert result.returncode == 1, result.stderr
    return json.loads(result.stdout)


def without_times(path: Path) -> list[dict[str, object]]:
    events = [json.loads(line) for line in path.read_text().splitlines()]
    kept = [event for event in events if event["event"]["type"] != "TransactionExecuted"]
    return [{"worker": event["worker"], "event": event["event"]} for event in kept]


def test_one_worker_and_one_seed_are_the_same_campaign_event_by_event(tmp_path):
    """Report, event log and corpus of two runs are equal, times aside."""
    reports = []
    for name in ("one", "two"):
        report = run("--workers", "1", "--test-limit", "120000", "--corpus-dir", str(tmp_path / name))
        del report["campaign"]["duration"], report["campaign"]["callsPerSecond"], report["corpus"]["path"]
        del report["run"]["made"]
        for finding in chain(report["tests"], *(test.get("findings", ()) for test in report["tests"])):
            if exported := finding.get("foundryTest"):
                exported["path"] = Path(exported["path"]).name
        reports.append(report)
    assert reports[0] == reports[1]
    assert without_times(tmp_path / "one" / "events.jsonl") == without_times(tmp_path / "two" / "events.jsonl")
    names = [sorted(path.name for path in (tmp_path / name / "coverage").iterdir()) for name in ("one", "two")]
    assert names[0] == names[1]


def test_a_campaign_finds_the_failure_in_its_corpus(tmp_path):
    """The reproducer of the first campaign fails at once in the second, before much is fuzzed."""
    folder = str(tmp_path / "corpus")
    first = run("--workers", "1", "--test-limit", "60000", "--corpus-dir", folder)
    again = run("--workers", "1", "--test-limit", "1000", "--corpus-dir", folder)
    statuses = [[test["status"] for test in report["tests"]] for report in (first, again)]
    assert statuses[0] == statuses[1]
    assert again["corpus"]["sequences"] >= first["corpus"]["sequences"]


def test_a_killed_worker_costs_no_finding(tmp_path):
    """kill -9 of both workers while they fuzz: the failure is reported, the budget is used, nothing is left."""
    folder = tmp_path / "corpus"
    process = subprocess.Popen(
        command("--workers", "2", "--test-limit", "3000000", "--corpus-dir", str(folder)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    log = folder / "events.jsonl"

    def is_fuzzing() -> bool:
        assert process.poll() is None
        return log.exists() and '"fuzzing"' in log.read_text()

    wait_for(is_fuzzing)
    workers = psutil.Process(process.pid).children(recursive=True)
    for worker in workers:
        worker.kill()
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, errors
    report = json.loads(output)
    assert report["campaign"]["calls"] >= 3_000_000
    assert sum(test["status"] == "falsified" for test in report["tests"]) == 1
    assert all(not worker.is_running() for worker in workers)
