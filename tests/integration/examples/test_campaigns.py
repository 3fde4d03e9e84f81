"""The command on every example, as a user runs it: what it finds, what it prints, how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from simulator.corpus.store import load_corpus
from tests.support.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
INTERRUPTED = 130
MORE_THAN_ANYBODY_WAITS_FOR = 10**12

pytestmark = pytest.mark.integration


@dataclass(frozen=True)
class Expectation:
    """One campaign of an example's `expected.json`."""

    folder: Path
    campaign: dict[str, Any]

    @property
    def name(self) -> str:
        everywhere = "-everywhere" if self.campaign.get("allContracts") else ""
        return f"{self.folder.name}-{self.campaign['contract']}-{self.campaign['mode']}{everywhere}"

    @property
    def arguments(self) -> list[str]:
        """The command's arguments; the budget is the configuration's."""
        return [
            *(str(self.folder / path) for path in self.campaign["paths"]),
            *("--config", str(self.folder / self.campaign["config"])),
            *("--contract", self.campaign["contract"]),
            *("--test-mode", self.campaign["mode"]),
            *(["--all-contracts"] if self.campaign.get("allContracts") else []),
        ]


def expectations() -> Iterator[Expectation]:
    for path in sorted(EXAMPLES.glob("*/expected.json")):
        for campaign in json.loads(path.read_text())["campaigns"]:
            yield Expectation(path.parent, campaign)


EXPECTATIONS = list(expectations())
# The same contract once more, with all contracts fuzzed, is for the long run.
CASES = [
    pytest.param(each, id=each.name, marks=[pytest.mark.nightly] if each.campaign.get("allContracts") else [])
    for each in EXPECTATIONS
]
CLEAN = next(each for each in EXPECTATIONS if each.folder.name == "clean")


def command(*arguments: str, workers: int = 1) -> list[str]:
    options = ["--format", "json", "--workers", str(workers), "--seed", "1"]
    return [sys.executable, "-m", "orchestrator", "fuzz", *arguments, *options]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False, cwd=ROOT, timeout=PATIENCE)


def lengths(report: dict[str, Any]) -> dict[str, int]:
    """The falsified tests with the numbers of calls in their reproducers."""
    tests = (test for test in report["tests"] if test["status"] == "falsified")
    return {test["name"]: len(test["reproducer"]) for test in tests}


@pytest.mark.parametrize("expectation", CASES)
def test_an_example_is_judged_as_it_expects(expectation: Expectation) -> None:
    """Falsified and passed tests, lengths of reproducers, budget and exit code; stdout is one JSON document."""
    result = run(*expectation.arguments)
    report = json.loads(result.stdout)
    expected = expectation.campaign["falsified"]
    found = lengths(report)
    assert set(found) == set(expected)
    assert all(found[name] <= expected[name]["max_calls_in_reproducer"] for name in found)
    proved = {name for name, each in expected.items() if each.get("proved_minimal", True)}
    assert all(test["shrunk"] for test in report["tests"] if test["name"] in proved)
    passed = [test["name"] for test in report["tests"] if test["status"] == "passed"]
    assert sorted(passed) == sorted(expectation.campaign["passed"])
    assert report["campaign"]["calls"] >= expectation.campaign["budget"]["testLimit"]
    assert result.returncode == (1 if expected else 0), result.stderr
    assert "Traceback" not in result.stderr


def test_one_seed_gives_one_report() -> None:
    """With one worker, two runs print the same document, apart from the two figures that measure time."""
    arguments = next(each for each in EXPECTATIONS if each.folder.name == "vault_reentrancy").arguments
    reports = [json.loads(run(*arguments).stdout) for _ in range(2)]
    for report in reports:
        del report["campaign"]["duration"], report["campaign"]["callsPerSecond"]
        del report["run"]["made"]
    assert reports[0] == reports[1]


def is_alive(process: psutil.Process) -> bool:
    """Return whether it executes still; one that has ended and waits for its parent to take notice does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_ctrl_c_ends_a_campaign_with_its_report_and_a_corpus_that_loads(tmp_path: Path) -> None:
    """SIGINT in the middle: exit code 130 since nothing was found, every corpus file is whole, no process is left."""
    corpus = tmp_path / "corpus"
    arguments = [*CLEAN.arguments, "--test-limit", str(MORE_THAN_ANYBODY_WAITS_FOR), "--corpus-dir", str(corpus)]
    process = subprocess.Popen(
        command(*arguments, workers=2), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    wait_until_fuzzing(process)
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == INTERRUPTED, errors
    assert "Traceback" not in errors
    assert json.loads(output)["campaign"]["stopReason"] == "interrupted"
    assert len(family) >= 2
    assert [each for each in family if is_alive(each)] == []
    entries, problems = load_corpus(corpus)
    assert entries
    assert problems == []


def wait_until_fuzzing(process: subprocess.Popen[str]) -> None:
    """Read status lines until one shows progress."""
    assert process.stderr is not None
    for line in process.stderr:
        if "fuzzing: " in line:
            return
    raise AssertionError(f"the campaign ended with {process.wait()} before it began")
