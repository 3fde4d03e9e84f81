"""The executor port carries any stream: workers behind TCP connections."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from actors.campaign.plan import CampaignPlan
from actors.workers.services import WorkerLimits
from tests.actors.conftest import assemble
from tests.support.patience import PATIENCE
from tests.support.tcp_executor import TcpSpawner

PROGRAM = Path(__file__).parents[2] / "support" / "fake_worker_program.py"


@pytest.fixture
def port() -> Iterator[int]:
    command = [sys.executable, "-m", "tests.support.tcp_executor", sys.executable, str(PROGRAM)]
    with subprocess.Popen(command, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.kill()


@pytest.mark.integration
async def test_a_campaign_runs_over_tcp_unchanged(port: int):
    """Two workers behind connections use the budget up and find both planted failures."""
    plan = CampaignPlan(call_limit=20_000, time_limit=None, shrink_limit=100)
    assembly = assemble(TcpSpawner(port), plan, workers=2, limits=WorkerLimits(hello=PATIENCE, silence=PATIENCE))
    with trio.fail_after(PATIENCE):
        end = await assembly.run()
    assert end.calls >= 20_000
    assert [test.state for test in end.tests] == ["solved", "solved", "passed"]
