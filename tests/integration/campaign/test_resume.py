"""Campaigns that are killed and taken up again: real processes, workers that follow a script."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from orchestrator.checkpoint.file import checkpoint_of, read_checkpoint
from orchestrator.checkpoint.seed_file import SEED_FILE
from simulator.corpus.store import load_corpus
from tests.support import patience
from tests.support.patience import PATIENCE
from tests.support.process_checks import are_soon_gone

pytestmark = pytest.mark.integration

PROGRAM = Path(__file__).parents[2] / "support" / "campaign_program.py"
SLOW = {"seconds_per_frame": 0.002}
ENDLESS = {**SLOW, "falsify": {"0": 500}}


def command(script: dict[str, object], folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, str(PROGRAM), json.dumps(script), "--corpus-dir", str(folder), *arguments]


def run(script: dict[str, object], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(script, folder, *arguments), capture_output=True, text=True, timeout=PATIENCE, check=False
    )


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


def wait_for(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    def is_so() -> object:
        assert process.poll() is None, process.communicate()[1]
        return condition()

    patience.wait_for(is_so)


def events(folder: Path) -> list[dict[str, object]]:
    """Those whose line is whole: the program may be writing the last one."""
    path = folder / "events.jsonl"
    text = path.read_text() if path.exists() else ""
    return [json.loads(line)["event"] for line in text[: text.rfind("\n") + 1].splitlines()]


def named(folder: Path, name: str) -> list[dict[str, object]]:
    return [event for event in events(folder) if event["type"] == name]


def killed(script: dict[str, object], folder: Path, *arguments: str) -> set[str]:
    """Run until there is a finding in a checkpoint, then `kill -9` the program, which leaves no process; the files of
    its corpus."""
    with running(script, folder, *arguments) as process:

        def is_saved() -> bool:
            checkpoint = read_checkpoint(checkpoint_of(folder))
            return checkpoint is not None and any(record.falsified for record in checkpoint.state.tests)

        wait_for(is_saved, process)
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        are_soon_gone(family)
    return {path.name for part in ("coverage", "reproducers") for path in (folder / part).glob("*.txt")}


def test_a_killed_campaign_continues_where_it_was(tmp_path: Path):
    """kill -9 of the program: no process is left, no corpus entry and no finding is lost, what was used of the limit
    counts, and its seed and workers are those of before."""
    files = killed(ENDLESS, tmp_path, "--test-limit", "100000000", "--workers", "2", "--seed", "9")
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


@pytest.mark.nightly
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
    with running(ENDLESS, tmp_path, "--timeout", "3600", "--workers", "1", "--format", "json") as process:
        wait_for(lambda: named(tmp_path, "CoverageIncreased"), process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in errors
    checkpoint = read_checkpoint(checkpoint_of(tmp_path))
    assert checkpoint.ended == "interrupted"
    assert checkpoint.state.calls == json.loads(output)["campaign"]["calls"]


def test_a_campaign_that_is_killed_before_its_first_checkpoint_keeps_its_seed(tmp_path: Path):
    """The seed is in the folder before anything else is."""
    with running(ENDLESS, tmp_path, "--timeout", "60", "--workers", "1") as process:
        wait_for((tmp_path / SEED_FILE).exists, process)
        process.kill()
        process.wait()
    checkpoint_of(tmp_path).unlink(missing_ok=True)
    seed = json.loads((tmp_path / SEED_FILE).read_text())["seed"]
    again = run({"falsify": {}}, tmp_path, "--resume", "--test-limit", "1000", "--format", "json")
    assert json.loads(again.stdout)["campaign"]["seed"] == seed


def test_a_corpus_folder_that_is_removed_while_a_campaign_runs_is_made_anew(tmp_path: Path):
    """With one line, with the sequences that it held, with events and a checkpoint; and the campaign continues."""
    corpus = tmp_path / "corpus"
    with running(ENDLESS, corpus, "--timeout", "60", "--workers", "1") as process:
        wait_for(lambda: named(corpus, "PropertyFalsified") and list(corpus.glob("coverage/*.txt")), process)
        before = {path.relative_to(corpus) for path in corpus.glob("*/*.txt")}
        corpus.rename(tmp_path / "removed")
        shutil.rmtree(tmp_path / "removed")
        wait_for(lambda: before <= {path.relative_to(corpus) for path in corpus.glob("*/*.txt")}, process)
        wait_for(checkpoint_of(corpus).exists, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert errors.count("the corpus folder was removed") == 1, errors
    assert named(corpus, "Warned")
    assert "Traceback" not in errors
