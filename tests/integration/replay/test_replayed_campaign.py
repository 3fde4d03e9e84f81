"""A campaign steered by hand and the replay of its commands: real compiler, kernel and worker."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from orchestrator.agents.campaign_service import AgentService
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.server_settings import server_settings
from orchestrator.assembly.wiring import Actors
from orchestrator.campaign import ProgramPorts, run_campaign
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from orchestrator.replay.recorded import read_commands
from orchestrator.replay.run import corpus_digest, run_replay
from simulator.project import Project

pytestmark = pytest.mark.integration

SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Steps {
    uint256 public step;
    uint256 private seen;
    mapping(address => uint256) public held;
    function first(uint256 a) public { if (a % 1e12 == 777) step = 1; }
    function second(uint256 a, uint256 b) public { if (step == 1 && a > b && a - b < 5) step = 2; }
    function third(bytes memory data) public { if (step == 2 && data.length == 33) step = 3; }
    function put(uint256 a) public { held[msg.sender] += a % 1000; if (held[msg.sender] > 5000) seen |= 1; }
    function move(address to, uint256 a) public { held[msg.sender] -= a; held[to] += a; if (a > 900) seen |= 2; }
    function magic(uint256 a) public { if (uint256(keccak256(abi.encode(a))) % 1e9 == 1) seen |= 4; }
    function echidna_never() public view returns (bool) { return seen < 8; }
}
"""
COMMANDS = (
    ("inject_transaction", {"sequence": ["first(777)", "second(9, 7)"]}),
    ("prioritize_function", {"functionSignature": "third(bytes)"}),
    ("add_dictionary_values", {"values": [{"value": "901"}, {"value": "4242"}]}),
    ("inject_template", {"sequence": [{"call": "put(?)"}, {"call": "move(?, 950)"}], "share": 0.3}),
    ("inject_transaction", {"sequence": ["nonsense(1)"]}),
    ("exclude_function", {"function": "magic"}),
    ("inject_transaction", {"sequence": ["put(999)", "put(?)", "move(0x20000, ?)"]}),
    ("set_function_weights", {"weights": [{"function": "put", "weight": 3}, {"function": "first", "weight": 0.1}]}),
    ("stop_campaign", {}),
)


class Person(AgentService):
    """Steers while the campaign fuzzes, at moments that the clock decides, and stops it at the end."""

    @asynccontextmanager
    async def around_run(self) -> AsyncIterator[None]:
        async with self._server.open(None) as facade:
            self._dispatcher = facade.dispatcher
            yield

    @asynccontextmanager
    async def around_actors(self, request: CampaignRequest, project: Project, actors: Actors) -> AsyncIterator[None]:
        async with super().around_actors(request, project, actors), trio.open_nursery() as nursery:
            nursery.start_soon(self._steer, actors)
            yield

    async def _steer(self, actors: Actors) -> None:
        for number, (tool, arguments) in enumerate(COMMANDS):
            while actors.campaign.status().calls < 20_000 * (1 + number):  # noqa: ASYNC110  # another process counts
                await trio.sleep(0.003)
            await self._dispatcher.call(tool, arguments)


def request(path: Path, corpus: Path) -> CampaignRequest:
    configuration = Configuration.model_validate({"campaignDeadline": 30_000, "solcVersion": "0.8.30"})
    return CampaignRequest(
        paths=(path,),
        configuration=configuration,
        seed=3,
        workers=1,
        call_limit=5_000_000,
        time_limit=3_600.0,
        corpus_directory=corpus,
    )


@pytest.mark.requirement("004-S1")
def test_a_replay_gives_the_corpus_of_the_recorded_campaign(tmp_path: Path):
    """One worker, one seed: what was commanded by hand, at moments of the clock, gives the same corpus again, ends at
    the same call, and is recorded at the same calls."""
    path = tmp_path / "Steps.sol"
    path.write_text(SOURCE)
    first = request(path, tmp_path / "first")
    person = Person(Server(server_settings(first.configuration)))
    recorded = run_campaign(first, ports=ProgramPorts(service=person))
    log = tmp_path / "first" / "mcp-commands.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["result"] for line in lines] == ["success"] * 4 + ["failure"] + ["success"] * 4
    places = [line["calls"] for line in lines if line["result"] == "success"]
    assert all(place >= 20_000 for place in places)
    assert places == sorted(places)
    assert places[-1] == recorded.report.campaign.calls

    told: list[str] = []
    again = run_replay(request(path, tmp_path / "again"), log, read_commands(log), told.append)
    assert told[-2:] == [
        "8 commands applied, 0 refused, 1 left out",
        f"corpus digest: {corpus_digest(tmp_path / 'first')}",
    ]
    assert again.report.campaign.calls == recorded.report.campaign.calls
    repeated = [json.loads(line) for line in (tmp_path / "again" / "mcp-commands.jsonl").read_text().splitlines()]
    assert [(line["tool"], line["args"], line["calls"]) for line in repeated] == [
        (line["tool"], line["args"], line["calls"]) for line in lines if line["result"] == "success"
    ]
