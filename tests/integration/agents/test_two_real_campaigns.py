"""Two real campaigns of one server, over stdio and HTTP: compilers, kernel, worker processes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp import Client, StdioServerParameters

from tests.integration.agents.test_programs import connected
from tests.integration.agents.test_real_campaign import Agent
from tests.support.told_address import told_address

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly,
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]

HERE = Path(__file__).parent
ROOT = Path(__file__).parents[3]
COUNTER = """pragma solidity ^0.8.0;
contract Counter {
    uint256 public count;
    function step(uint256 by) public { require(by < 100); count += by; }
    function echidna_small() public view returns (bool) { return count < 1000; }
}
"""
TOKEN = {"paths": ["SimpleToken.sol"], "contract": "EchidnaMCPTest", "workers": 1, "corpusDir": "one"}
COUNT = {"paths": ["Counter.sol"], "workers": 1, "corpusDir": "two", "settings": {"clamps": ["step by=..3"]}}


def prepare(folder: Path) -> dict[str, str]:
    """The two targets, and the environment of a server."""
    shutil.copy(HERE / "SimpleToken.sol", folder)
    (folder / "Counter.sol").write_text(COUNTER)
    # The deadline is long: what is shown here is what the tools do, on a machine with other work.
    (folder / "echidna.yaml").write_text("campaignDeadline: 20000\nsearchDeadline: 20000\nanalysisDeadline: 60000\n")
    return {**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder / "state")}


@asynccontextmanager
async def stdio(folder: Path) -> AsyncIterator[tuple[Client, Client]]:
    arguments = ["-m", "orchestrator", "mcp", "--config", "echidna.yaml"]
    server = StdioServerParameters(command=sys.executable, args=arguments, cwd=str(folder), env=prepare(folder))
    async with Client(server) as client:
        yield client, client


@asynccontextmanager
async def http(folder: Path) -> AsyncIterator[tuple[Client, Client]]:
    """Two connections, one for each campaign."""
    command = [sys.executable, "-m", "orchestrator", "serve", "--mcp-port", "0", "--dashboard-port", "0"]
    process = await trio.lowlevel.open_process(
        [*command, "--config", "echidna.yaml"], stderr=subprocess.PIPE, cwd=folder, env=prepare(folder)
    )
    try:
        url, token = await told_address(process.stderr)
        async with connected(url, token) as first, connected(url, token) as second:
            yield first, second
    finally:
        process.terminate()
        with trio.CancelScope(shield=True):
            await process.wait()


@pytest.mark.parametrize("transport", [stdio, http])
async def test_two_clients_steer_two_campaigns_of_one_server(tmp_path: Path, transport: Any):
    """Neither sees the other's findings; both are compared; the end of one leaves the other running."""
    async with transport(tmp_path) as clients:
        one, two = map(Agent, clients)
        started = [await one.ask("start_campaign", **TOKEN), await two.ask("start_campaign", **COUNT)]
        names = [each["campaignId"] for each in started]
        for agent, name in zip((one, two), names, strict=True):
            await agent.until("status", lambda status: status["calls"] > 1_000, campaignId=name)
        assert "CAMPAIGN_NOT_NAMED" in await one.error("get_corpus_size")
        rows = (await two.ask("list_campaigns"))["campaigns"]
        assert [(row["id"], row["target"]) for row in rows] == [(names[0], "EchidnaMCPTest"), (names[1], "Counter")]
        found = await one.until("list_findings", lambda answer: answer["findings"], campaignId=names[0])
        foreign = found["findings"][0]["id"]
        assert "there is no finding" in await two.error("get_reproducer", id=foreign, campaignId=names[1])
        (clamp,) = (await two.ask("list_steering", campaignId=names[1]))["clamps"]
        assert clamp["function"] == "step"
        events = (await two.ask("read_logs", eventType="CoverageIncreased", campaignId=names[1]))["events"]
        assert "Counter.sol:4" in {event["data"]["location"] for event in events}
        assert "Counter.step" in {event["data"]["inside"] for event in events}
        compared = await one.ask("compare_campaigns", campaignId=names[1], beforeCampaign=names[0])
        assert compared["before"]["target"].endswith("EchidnaMCPTest")
        answers: list[dict] = []

        async def wait() -> None:
            answers.append(
                await one.ask("wait_for_event", campaignId=names[0], eventType="CampaignStopped", timeoutSeconds=50)
            )

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await two.ask("stop_campaign", campaignId=names[1])
            await two.until("status", lambda status: status["phase"] == "finished", campaignId=names[1])
            assert not answers
            await one.ask("stop_campaign", campaignId=names[0])
        assert answers[0]["over"]
    for folder in ("one", "two"):
        lines = (tmp_path / folder / "mcp-commands.jsonl").read_text().splitlines()
        assert [re.search(r'"tool":"(\w+)"', line).group(1) for line in lines] == ["start_campaign", "stop_campaign"]
