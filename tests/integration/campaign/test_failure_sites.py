"""A function that fails at several places: the command with real workers, and once more from its checkpoint."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import PATIENCE

pytestmark = pytest.mark.integration

TARGET = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Target {
    bool armed;
    function arm(uint256 code) public { if (code == 7331) armed = true; }
    function check(uint256 x) public view {
        assert(x < 5000);
        assert(x != 4242);
        if (armed) { assert(x > 12); }
    }
}
contract Idle {
    function echidna_fine() public view returns (bool) { return address(this) != address(0); }
}
contract Broken {
    function echidna_broken() public view returns (bool) { return address(this) == address(0); }
}
"""


def fuzz(folder: Path, contract: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit code and report of the command."""
    file = folder / "Target.sol"
    file.write_text(TARGET)
    command = [sys.executable, "-m", "orchestrator", "fuzz", str(file), "--contract", contract, "--format", "json"]
    result = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)
    return result.returncode, json.loads(result.stdout)


def test_each_place_is_found_shrunk_and_kept(tmp_path: Path) -> None:
    """The assert that fails at once leaves calls for the others; a campaign that continues knows them all."""
    common = ("--test-mode", "assertion", "--workers", "2", "--corpus-dir", str(tmp_path / "corpus"))
    code, report = fuzz(tmp_path, "Target", *common, "--seed", "3", "--test-limit", "60000")
    (test,) = [each for each in report["tests"] if each["status"] == "falsified"]
    found = {each["site"].split(":")[1]: [call["call"] for call in each["reproducer"]] for each in test["findings"]}
    assert code == 1
    assert found == {"7": ["check(5000)"], "8": ["check(4242)"], "9": ["arm(7331)", "check(0)"]}
    assert all(each["callTrace"][-1]["success"] is False for each in test["findings"])
    assert report["campaign"]["stopReason"] == "test limit reached"
    assert report["campaign"]["gas"] > 0
    _, later = fuzz(tmp_path, "Target", *common, "--resume", "--test-limit", "80000")
    (again,) = [each for each in later["tests"] if each["status"] == "falsified"]
    assert {each["site"] for each in again["findings"]} == {each["site"] for each in test["findings"]}


def test_stopping_at_the_first_failure_still_does(tmp_path: Path) -> None:
    """`--stop-on-fail` asks for one finding."""
    arguments = ("--test-mode", "assertion", "--workers", "1", "--seed", "1", "--test-limit", "10000000")
    code, report = fuzz(tmp_path, "Target", *arguments, "--stop-on-fail")
    assert code == 1
    assert report["campaign"]["calls"] < 10_000_000


@pytest.mark.parametrize(("contract", "code"), [("Idle", 0), ("Broken", 1)])
def test_tests_alone_are_checked_as_deployed(tmp_path: Path, contract: str, code: int) -> None:
    """Where there is nothing to call, the deployed state is all there is."""
    result, report = fuzz(tmp_path, contract, "--workers", "1", "--test-limit", "1000")
    assert result == code
    assert [each["status"] for each in report["tests"]] == ["falsified" if code else "passed"]


def test_a_contract_may_be_its_own_deployer(tmp_path: Path) -> None:
    """As in Echidna: `deployer` and `contractAddr` may be the same account."""
    configuration = tmp_path / "echidna.yaml"
    address = "0x00a329c0648769a73afac7f9381e08fb43dbea72"
    configuration.write_text(f'deployer: "{address}"\ncontractAddr: "{address}"\ntestMode: property\n')
    result, report = fuzz(tmp_path, "Idle", "--config", str(configuration), "--workers", "1")
    assert result == 0
    assert [each["status"] for each in report["tests"]] == ["passed"]
