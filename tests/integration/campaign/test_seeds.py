"""Campaigns that begin with calls of a project's tests, and with sequences from a file."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from simulator.own_process import module_command
from tests.support.patience import PATIENCE

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

VAULT = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Vault {
    uint256 public step;
    bool public broken;
    mapping(address => bytes32) sealed_;
    function seal(bytes32 hash) external { sealed_[msg.sender] = hash; }
    function open(bytes32 word) external {
        require(keccak256(abi.encode(keccak256(abi.encode(word)))) == sealed_[msg.sender]);
        broken = true;
    }
    function echidna_closed() public view returns (bool) { return !broken; }
}
"""
TEST = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
import "../src/Vault.sol";
contract VaultTest {
    bool public IS_TEST = true;
    function test_opens() public {
        Vault vault = new Vault();
        bytes32 word = keccak256("a word that nobody guesses");
        vault.seal(keccak256(abi.encode(keccak256(abi.encode(word)))));
        vault.open(word);
    }
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in (("foundry.toml", "[profile.default]\n"), ("src/Vault.sol", VAULT), ("test/Vault.t.sol", TEST)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def fuzz(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    limits = ("--contract", "Vault", "--test-limit", "300", "--workers", "1", "--seed", "1", "--quiet")
    return subprocess.run(
        [*module_command("orchestrator", "fuzz"), str(folder), *limits, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_what_a_test_does_is_where_a_campaign_begins(project: Path) -> None:
    """Tests that were compiled with the target by themselves, others when asked for."""
    found = fuzz(project, "--seed-tests", "project", "--format", "json", "--corpus-dir", str(project / "corpus"))
    assert found.returncode == 1, found.stderr
    assert json.loads(found.stdout)["campaign"]["calls"] == 0, "the seeds break it before anything is fuzzed"
    again = fuzz(project, "--format", "json", "--corpus-dir", str(project / "corpus"))
    assert again.returncode == 1, "what broke it is in the corpus"


def test_sequences_come_from_a_file(project: Path) -> None:
    """A mistake ends the campaign with its place."""
    file = project / "seeds.json"
    file.write_text('[{"call": "seal(0x01)"}]')
    refused = fuzz(project, "--seed-sequences", str(file))
    assert refused.returncode == 2
    assert f"seedSequences: {file}: call 1: call: " in refused.stderr
    file.write_text('[[{"call": "step()"}], [{"data": "0x12345678"}]]')
    assert fuzz(project, "--seed-sequences", str(file), "--format", "none").returncode in (0, 1)
