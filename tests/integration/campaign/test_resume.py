"""Campaigns that are killed and taken up again: real processes, workers that follow a script."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from orchestrator.checkpoint.file import checkpoint_of, read_checkpoint
from simulator.corpus.store import load_corpus

pytestmark = pytest.mark.integration

PROGRAM = Path(__file__).parents[2] / "support" / "campaign_program.py"
SLOW = {"seconds_per_frame": 0.002}
ENDLESS = {**SLOW, "falsify": {"0": 500}}


def command(script: dict[str, object], folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, str(PROGRAM), json.dumps(script), "--corpus-dir", str(folder), *arguments]


def run(script: dict[str, object], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(script, folder, *arguments), capture_output=True, text=True, timeout=60, check=False)


@contextmanager
def running(script: dict[str, object], folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command(script, folder, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(condition: Callable[[], object], process: subprocess.Popen[str], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


def events(folder: Path) -> list[dict[str, object]]:
    path = folder / "events.jsonl"
    return [json.loads(line)["event"] for line in path.read_text().splitlines()] if path.exists() else []


def named(folder: Path, name: str) -> list[dict[str, object]]:
    return [event for event in events(folder) if event["type"] == name]


def killed(script: dict[str, object], folder: Path, *arguments: str) -> tuple[set[str], list[psutil.Process]]:
    """Run until there is a finding in a checkpoint, then `kill -9` the program; the files of its corpus, and what was
    left of its processes after ten seconds."""
    with running(script, folder, *arguments) as process:

        def is_saved() -> bool:
            checkpoint = read_checkpoint(checkpoint_of(folder))
            return checkpoint is not None and any(record.falsified for record in checkpoint.state.tests)

        wait_for(is_saved, process)
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        _, alive = psutil.wait_procs(family, timeout=10)
    files = {path.name for part in ("coverage", "reproducers") for path in (folder / part).glob("*.txt")}
    return files, [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]


def test_a_killed_campaign_goes_on_where_it_was(tmp_path: Path):
    """kill -9 of the program: no process is left, no corpus entry and no finding is lost, what was used of the limit
    counts, and its seed and workers are those of before."""
    files, alive = killed(ENDLESS, tmp_path, "--test-limit", "100000000", "--workers", "2", "--seed", "9")
    assert not alive
    before = read_checkpoint(checkpoint_of(tmp_path))
    limit = before.state.calls + 5_000
    again = run(
        {"falsify": {}, "most_coverage": 0}, tmp_path, "--resume", "--test-limit", str(limit), "--format", "json"
    )
    assert again.returncode == 1, again.stderr
    report = json.loads(again.stdout)
    assert limit <= report["campaign"]["calls"] <= limit + 100
    assert (report["campaign"]["seed"], report["campaign"]["workers"]) == (9, 2)
    assert report["tests"][0]["status"] == "falsified"
    assert report["tests"][0]["reproducer"]
    assert files <= {path.name for part in ("coverage", "reproducers") for path in (tmp_path / part).glob("*.txt")}
    assert report["corpus"]["sequences"] == len(load_corpus(tmp_path)[0])
    (resumed,) = named(tmp_path, "CampaignResumed")
    assert (resumed["campaign"], resumed["calls"], resumed["decided"]) == (before.campaign, before.state.calls, 1)
    assert [event["sequences"] for event in named(tmp_path, "FuzzingResumed")] == [resumed["sequences"]]
    assert f"Resuming the campaign of {before.saved}: {before.state.calls:,} calls" in again.stderr
    after = read_checkpoint(checkpoint_of(tmp_path))
    assert (after.campaign, after.ended) == (before.campaign, "test limit reached")
    assert after.state.processes == tuple(count + 1 for count in before.state.processes)


def test_a_campaign_that_ended_can_be_given_more(tmp_path: Path):
    """Without more it says that nothing is left, and keeps its findings. Without a whole checkpoint it says so, begins
    with the corpus alone, and counts from zero."""
    first = run({}, tmp_path, "--test-limit", "20000", "--seed", "1", "--workers", "1", "--format", "json")
    again = run({}, tmp_path, "--resume", "--format", "json", "--workers", "1")
    statuses = [[test["status"] for test in json.loads(one.stdout)["tests"]] for one in (first, again)]
    assert statuses[0] == statuses[1] == ["falsified", "falsified", "passed"]
    assert "nothing is left to fuzz" in again.stderr
    path = checkpoint_of(tmp_path)
    path.write_bytes(path.read_bytes()[:100])
    last = run({"falsify": {}}, tmp_path, "--resume", "--test-limit", "1000", "--workers", "1", "--format", "json")
    assert last.returncode == 0, last.stderr
    assert json.loads(last.stdout)["campaign"]["calls"] == 1_000
    assert "Not resumed, the campaign begins with the corpus alone" in last.stderr
    assert str(path) in named(tmp_path, "CheckpointIgnored")[0]["reason"]
    assert "Traceback" not in last.stderr


def test_an_interrupted_campaign_leaves_its_last_moment(tmp_path: Path):
    """SIGINT: the checkpoint holds what the report says."""
    with running(ENDLESS, tmp_path, "--timeout", "60", "--workers", "1", "--format", "json") as process:
        wait_for(lambda: named(tmp_path, "CoverageIncreased"), process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors
    checkpoint = read_checkpoint(checkpoint_of(tmp_path))
    assert checkpoint.ended == "interrupted"
    assert checkpoint.state.calls == json.loads(output)["campaign"]["calls"]
