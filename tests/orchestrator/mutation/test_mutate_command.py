"""`monotreme mutate` as the user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.command_line.entry import run

POT = Path(__file__).resolve().parents[3] / "examples" / "property_strength"


def test_wrong_usage_ends_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It names the place and what to give."""
    for arguments, words in (
        (["--corpus-dir", str(tmp_path / "none")], "does not exist"),
        (["--resume"], "--corpus-dir"),
        (["--mutants", "0"], "--mutants"),
        (["--timeout", "0"], "--timeout"),
        (["--format", "xml"], "--format"),
    ):
        assert run(["mutate", str(POT), "--contract", "PotHarness", *arguments]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.integration
@pytest.mark.nightly
def test_the_example_lets_three_mutants_live_and_its_stronger_harness_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As its document walks through it; a run that is resumed has nothing left to do."""
    corpus = ["--corpus-dir", str(tmp_path), "--seed", "1", "--workers", "1"]
    options = ["--config", str(POT / "echidna.yaml"), *corpus]
    assert run(["fuzz", str(POT), "--contract", "PotHarness", *options, "--format", "none"]) == 0
    capsys.readouterr()
    assert run(["mutate", str(POT), "--contract", "PotHarness", *options, "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    survivors = {each["description"] for each in report["mutants"] if each["status"] == "survived"}
    assert survivors == {
        'require(!closed, "closed") -> (left out)',
        'require(msg.sender == keeper, "not the keeper") -> (left out)',
        "amount <= shareOf[msg.sender] -> amount < shareOf[msg.sender]",
    }
    assert run(["mutate", str(POT), "--contract", "PotHarness", *options, "--resume", "--format", "json"]) == 1
    captured = capsys.readouterr()
    again = json.loads(captured.out)
    assert "were tried before" in captured.err
    assert [each["status"] for each in again["mutants"]] == [each["status"] for each in report["mutants"]]
    assert run(["mutate", str(POT), "--contract", "StrongPotHarness", *options, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"] == 1
