"""The walk-through of docs/agents.md: the same budget without and with an agent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.integration


@pytest.mark.nightly
def test_an_agent_finds_what_the_campaign_alone_misses():
    """`test_campaigns` shows that the undirected campaign finds nothing; with the agent's word it does."""
    program = ROOT / "examples" / "agent_walkthrough" / "agent.py"
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "was never true: require(keccak256" in done.stdout
    assert "claim(19790523): success" in done.stdout
    assert "DeadMansVaultHarness.echidna_deposits_are_there is broken:" in done.stdout
    calls = [line.strip().partition("(")[0] for line in done.stdout.splitlines() if " wei" in line]
    assert sorted(calls) == ["claim", "deposit", "sweep"]
