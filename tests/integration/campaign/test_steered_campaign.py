"""A real campaign, steered while it runs: real compiler, kernel and worker processes."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import trio

from actors.events.types import Steered
from actors.steering.commands import (
    AddTemplate,
    CallRequest,
    ClearPriorities,
    DumpReports,
    ExcludeFunction,
    ExecuteSequence,
    InjectSequence,
    PrioritizeFunction,
    SetWorkers,
    Stop,
)
from orchestrator.assembly.executors import Ground, open_local
from orchestrator.assembly.run_folder import write_project
from orchestrator.assembly.wiring import WORKER_COMMAND, Actors, connect_actors
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from simulator.compile import CompileOptions, choose_contract, compile_targets
from tests.support.patience import PATIENCE, until

pytestmark = pytest.mark.integration

SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Bank {
    mapping(address => uint256) public held;
    uint256 public total;
    uint256 private vault;
    event Put(address who, uint256 amount);
    function put(uint256 amount) public { held[msg.sender] += amount % 1000; total += amount % 1000; }
    function take(uint256 amount) public {
        require(held[msg.sender] >= amount, "too much");
        held[msg.sender] -= amount; total -= amount;
    }
    function move(address to, uint256 amount) public { held[msg.sender] -= amount; held[to] += amount; }
    function open(uint256 code) public { if (uint256(keccak256(abi.encode(code))) % 1e30 == 7) vault = code; }
    function deposit() public payable { emit Put(msg.sender, msg.value); }
    function echidna_closed() public view returns (bool) { return vault == 0; }
}
"""


@dataclass
class Running:
    """A campaign in the middle of fuzzing."""

    actors: Actors
    corpus: Path

    async def calls(self, count: int) -> dict[str, int]:
        """Calls per function made from now on, once `count` of them are known."""

        def counts() -> dict[str, int]:
            return {f.signature: f.calls for f in self.actors.campaign.priorities.statistics().functions}

        before = counts()
        await until(lambda: sum(counts().values()) - sum(before.values()) >= count)
        return {name: number - before[name] for name, number in counts().items()}

    async def share_of_move(self, wanted: Callable[[float], bool]) -> None:
        """Wait until the share that `move` has in 200,000 calls is as wanted: steering reaches a worker between
        batches, and how many calls these hold depends on the machine."""
        with trio.fail_after(PATIENCE):
            made = await self.calls(200_000)
            while not wanted(made["move(address,uint256)"] / sum(made.values())):
                made = await self.calls(200_000)


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Running]:
    path = folder / "Bank.sol"
    path.write_text(SOURCE)
    project = compile_targets([path], CompileOptions(solc_version="0.8.30"))
    corpus = folder / "corpus"
    request = CampaignRequest(
        paths=(path,),
        configuration=Configuration(excludeViewPure=True),
        seed=1,
        workers=2,
        call_limit=None,
        time_limit=3_600.0,
        corpus_directory=corpus,
        coverage_directory=corpus,
    )
    settings = request.settings(choose_contract(project, None).contract.full_name)
    ground = Ground(request, WORKER_COMMAND, write_project(folder, project), print, print)
    async with trio.open_nursery() as nursery, open_local(ground) as executor:
        actors = connect_actors(request, project, settings, executor)
        nursery.start_soon(actors.log.run)
        nursery.start_soon(actors.keeper.run)
        nursery.start_soon(actors.campaign.run)
        campaign = Running(actors, corpus)
        await until(lambda: all(worker.work == "fuzz" for worker in actors.campaign.status().workers))
        yield campaign
        await actors.campaign.ask(Stop(), PATIENCE)
        await until(lambda: all(worker.ended for worker in actors.campaign.status().workers))
        nursery.cancel_scope.cancel()


async def injected_sequences_are_executed_and_found_again(campaign: Running) -> None:
    calls = (CallRequest("put(7)", value=0), CallRequest("take(7)"), CallRequest("deposit()", value=10**15))
    answer = await campaign.actors.campaign.ask(InjectSequence(calls), PATIENCE)
    assert (answer.calls, answer.workers) == (3, 2)
    await until(lambda: campaign.actors.campaign.statistics().steering.unanswered == 0)
    await until(lambda: any(len(s) == 3 for s in campaign.actors.keeper.sequences()))


async def nine_tenths_of_the_calls_go_where_they_are_wanted(campaign: Running) -> None:
    ask = partial(campaign.actors.campaign.ask, seconds=PATIENCE)
    assert (await ask(PrioritizeFunction("move(address,uint256)"))).matched == 1
    await campaign.share_of_move(lambda share: share > 0.9)
    await killed_workers_come_back(campaign)
    await campaign.share_of_move(lambda share: share > 0.9)
    assert await ask(ClearPriorities()) == 1
    await campaign.share_of_move(lambda share: share < 0.6)
    assert (await ask(ExcludeFunction("move"))).excluded == ("move",)
    await campaign.share_of_move(lambda share: share == 0)


async def killed_workers_come_back(campaign: Running) -> None:
    def incarnations() -> list[int]:
        status = campaign.actors.campaign.status()
        return [worker.statistics.incarnation for worker in status.workers if worker.work == "fuzz"]

    for worker in campaign.actors.campaign.status().workers:
        os.kill(worker.statistics.pid, signal.SIGKILL)
    await until(lambda: incarnations() == [1, 1])


async def a_concrete_execution_tells_everything(campaign: Running) -> None:
    calls = (
        CallRequest("put(1005)"),
        CallRequest("take(6)"),
        CallRequest("total()"),
        CallRequest("deposit()", value=9),
    )
    executed = await campaign.actors.campaign.ask(ExecuteSequence(calls), PATIENCE)
    assert [(outcome.success, outcome.reason, outcome.returned) for outcome in executed.outcomes[:3]] == [
        (True, "success", ""),
        (False, "too much", ""),
        (True, "success", "5"),
    ]
    assert executed.outcomes[3].logs[0].text.endswith("amount: 9)")


async def workers_come_and_go(campaign: Running) -> None:
    await campaign.actors.campaign.ask(SetWorkers(3), PATIENCE)
    await until(lambda: campaign.actors.campaign.status().workers[-1].work == "fuzz")
    await campaign.actors.campaign.ask(SetWorkers(1), PATIENCE)
    await until(lambda: sum(w.ended for w in campaign.actors.campaign.status().workers) == 2)


async def reports_are_there_at_once(campaign: Running) -> None:
    files = await campaign.actors.campaign.ask(DumpReports(), PATIENCE)
    assert {Path(file).suffix for file in files} == {".txt", ".html", ".lcov", ".json"}
    assert all([(await trio.Path(file).stat()).st_size for file in files])


async def test_a_running_campaign_is_steered_in_every_way(tmp_path: Path):
    """Injection, priorities, templates, execution, workers, reports: each shows its effect in real workers."""
    async with running(tmp_path) as campaign:
        await campaign.actors.campaign.ask(
            AddTemplate((CallRequest("move(?, ?)", sender=None), CallRequest("take(?)"))), PATIENCE
        )
        await injected_sequences_are_executed_and_found_again(campaign)
        await a_concrete_execution_tells_everything(campaign)
        await reports_are_there_at_once(campaign)
        await workers_come_and_go(campaign)
    said = [logged.event.command for logged in campaign.actors.log.since(0) if isinstance(logged.event, Steered)]
    assert said == ["template", "inject", "dump reports", "workers", "workers", "stop"]
    assert [worker.restarts for worker in campaign.actors.campaign.status().workers] == [0, 0, 0]


@pytest.mark.nightly
@pytest.mark.requirement("004-31")
async def test_priorities_and_exclusions_show_in_the_counts_of_real_workers(tmp_path: Path):
    """At least nine tenths of the calls, none of an excluded function, and even shares again afterwards."""
    async with running(tmp_path) as campaign:
        await nine_tenths_of_the_calls_go_where_they_are_wanted(campaign)
    (move,) = [
        function
        for function in campaign.actors.campaign.priorities.statistics().functions
        if function.signature == "move(address,uint256)"
    ]
    assert (move.excluded, move.prioritized) == (True, False)
    status = campaign.actors.campaign.status()
    assert [worker.restarts for worker in status.workers] == [1, 1]
    assert (status.quarantine.suspects, status.quarantine.trials) == (0, 0), "who was killed executed nothing deadly"
    assert [record.info.kind for record in status.tests] == ["property"]
