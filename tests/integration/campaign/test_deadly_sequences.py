"""Sequences that kill the processes that execute them: found out, reported, and no campaign's end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.checkpoint.file import checkpoint_of, read_checkpoint
from simulator.corpus.store import load_corpus
from tests.integration.campaign.test_resume import named, run
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.integration

KILLER = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
interface Vm { function ffi(string[] calldata) external returns (bytes memory); }
contract Killer {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    bool private armed;
    uint256 private seen;
    function arm() public { armed = true; }
    function work(uint256 n) public { if (n % 7 == 3) seen = n; }
    function die(uint256 n) public {
        require(armed && n % 2 == 1);
        string[] memory command = new string[](3);
        (command[0], command[1], command[2]) = ("sh", "-c", "kill -SEGV $PPID");
        vm.ffi(command);
    }
    function echidna_seen() public view returns (bool) { return seen < 1 << 255; }
}
"""


@pytest.mark.nightly
def test_what_kills_workers_while_they_fuzz_is_found_and_the_campaign_continues(tmp_path: Path):
    """Real processes that follow a script: two sequences are findings of type crash with their reproducers, the
    function that both end with is no longer called, the budget is used, and a resumed campaign knows all that."""
    script = {"deadly_after": 2_000, "falsify": {}}
    result = run(script, tmp_path, "--test-limit", "20000", "--workers", "1", "--format", "json")
    assert result.returncode == 1, result.stderr
    report = json.loads(result.stdout)
    assert report["campaign"]["calls"] == 20_000
    crashes = [test for test in report["tests"] if test["type"] == "crash"]
    assert [crash["status"] for crash in crashes] == ["falsified", "falsified"]
    assert all("killed by SIGSEGV" in crash["reason"] and len(crash["reproducer"]) == 5 for crash in crashes)
    state = read_checkpoint(checkpoint_of(tmp_path)).state
    saved = {path.stem for path in (tmp_path / "reproducers-unshrunk").iterdir()}
    assert len(saved) == 2
    assert {record.sequence for record in state.tests if record.info.kind == "crash"}.isdisjoint(
        entry.sequence for entry in load_corpus(tmp_path)[0]
    )
    assert state.steering.priorities.excluded == ("Fake.poke(uint256)",)
    assert len(named(tmp_path, "WorkerRestarting")) == 4
    again = run(script, tmp_path, "--resume", "--test-limit", "30000", "--workers", "1", "--format", "json")
    tests = json.loads(again.stdout)["tests"]
    assert [test["name"] for test in tests if test["type"] == "crash"] == ["crash_1", "crash_2"]
    assert len(named(tmp_path, "WorkerRestarting")) == 4


@pytest.mark.nightly
def test_a_contract_that_kills_real_workers(tmp_path: Path):
    """A call that ends the process in the middle of a sequence: the reproducer ends with it, and contains what it takes
    before."""
    (tmp_path / "Killer.sol").write_text(KILLER)
    (tmp_path / "echidna.yaml").write_text("allowFFI: true\n")
    corpus = tmp_path / "corpus"
    target = (str(tmp_path / "Killer.sol"), "--config", str(tmp_path / "echidna.yaml"), "--corpus-dir", str(corpus))
    limits = ("--seed", "1", "--workers", "2", "--test-limit", "200000", "--format", "json")
    result = subprocess.run(
        [sys.executable, "-m", "orchestrator", "fuzz", *target, *limits],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    tests = json.loads(result.stdout)["tests"]
    crashes = [test for test in tests if test["type"] == "crash"]
    assert crashes
    for crash in crashes:
        calls = [call["function"] for call in crash["reproducer"]]
        assert calls[-1] == "die(uint256)"
        assert "arm()" in calls
    assert [test["status"] for test in tests if test["name"] == "echidna_seen"] == ["falsified"]
