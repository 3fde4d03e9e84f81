"""Report, coverage files, corpus folder and event file of real campaigns tell the same story, also after a restart."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.corpus.store import load_corpus
from simulator.coverage.summary import percent
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.integration

TARGET = Path(__file__).parents[3] / "examples" / "state_machine"


def run(folder: Path, seed: int) -> dict[str, dict[str, object]]:
    command = [sys.executable, "-m", "orchestrator", "fuzz", str(TARGET), "--seed", str(seed), "--format", "json"]
    limits = ["--workers", "2", "--test-limit", "60000", "--corpus-dir", str(folder)]
    result = subprocess.run([*command, *limits], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert result.returncode in (0, 1), result.stderr
    return json.loads(result.stdout)


def events(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def check_figures(folder: Path, report: dict[str, dict[str, object]]) -> None:
    lcov = max(folder.glob("covered.*.lcov")).read_text()
    lines = [int(line.split(",")[1]) > 0 for line in lcov.splitlines() if line.startswith("DA:")]
    assert percent(sum(lines), len(lines)) == report["coverage"]["lineCoverage"]
    entries, _ = load_corpus(folder)
    assert report["corpus"]["sequences"] == len(entries)
    assert report["corpus"]["transactions"] == sum(len(entry.sequence) for entry in entries)
    assert [entry["cursor"] for entry in events(folder)] == list(range(1, len(events(folder)) + 1))


def test_a_campaign_and_its_successor_agree_with_their_files(tmp_path):
    """Nothing of the corpus is lost by a restart; a file that was cut is named, kept and costs nothing else; the second
    campaign's events follow on those of the first, of which half a line was cut off."""
    report = run(tmp_path, 1)
    check_figures(tmp_path, report)
    before = {entry.id for entry in load_corpus(tmp_path)[0]}
    (tmp_path / "coverage" / "cut.txt").write_text('[{"call":{"tag":"SolCall","conte')
    with (tmp_path / "events.jsonl").open("a") as file:
        file.write('{"cursor":9')
    again = run(tmp_path, 2)
    check_figures(tmp_path, again)
    assert before <= {entry.id for entry in load_corpus(tmp_path)[0]}
    skipped = [each["event"] for each in events(tmp_path) if each["event"]["type"] == "CorpusFileSkipped"]
    assert len(skipped) == 1
    assert "cut.txt" in skipped[0]["reason"]
    assert (tmp_path / "coverage" / "cut.txt").exists()
    times = [each["time"] for each in events(tmp_path)]
    assert times == sorted(times)
