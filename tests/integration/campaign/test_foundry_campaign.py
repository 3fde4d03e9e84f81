"""Foundry tests with the whole program: real compiler, real kernel, real worker processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import PATIENCE

pytestmark = pytest.mark.integration

SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Units {
    function setUp() public {}
    function test_passes() public pure {}
    function test_fails() public view { require(block.chainid == 5, "another chain"); }
    function echidna_other() public pure returns (bool) { return false; }
}
"""


def fuzz(folder: Path, *arguments: str) -> tuple[dict[str, Any], str]:
    """Report and standard error of a campaign on the contract."""
    (folder / "Units.sol").write_text(SOURCE)
    command = [sys.executable, "-m", "orchestrator", "fuzz", str(folder / "Units.sol"), *arguments]
    limits = ["--format", "json", "--seed", "1", "--workers", "2", "--timeout", "600"]
    done = subprocess.run(command + limits, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1, done.stderr
    return json.loads(done.stdout), done.stderr


def test_a_campaign_of_unit_tests_ends_once_they_have_run(tmp_path: Path) -> None:
    """Each runs once and has its verdict; nothing is left to fuzz, so the time limit is not waited for."""
    report, _ = fuzz(tmp_path, "--test-mode", "foundry")
    verdicts = {test["name"]: (test["status"], test["reason"]) for test in report["tests"]}
    assert verdicts == {"test_passes()": ("passed", None), "test_fails()": ("falsified", "another chain")}
    assert [call["call"] for test in report["tests"] for call in test["reproducer"]] == ["test_fails()"]
    assert report["campaign"]["stopReason"] == "every test is decided"
    assert report["campaign"]["leftOut"] == ["1 test of another mode is no test in foundry mode: echidna_other()"]


def test_what_was_chosen_is_said(tmp_path: Path) -> None:
    """A property goes before Foundry tests; one line says why, and how to choose otherwise."""
    report, said = fuzz(tmp_path)
    assert report["campaign"]["mode"] == "property"
    assert "Units is fuzzed in property mode, because it has functions named echidna_*; --test-mode chooses" in said
