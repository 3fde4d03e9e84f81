"""Assembles campaigns over fake workers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import trio

from actors.campaign.actor import Campaign
from actors.campaign.messages import CampaignMessage
from actors.campaign.plan import CampaignPlan, CampaignPorts, Dump
from actors.campaign.state import Earlier
from actors.campaign.status import CampaignEnd
from actors.corpus.keeper import CorpusFolder, CorpusKeeper
from actors.coverage.tracker import CoverageTracker
from actors.events.log import EventLog
from actors.runtime.mailbox import Mailbox
from actors.runtime.supervisor import RestartPolicy
from actors.steering.call_reader import CallRequestReader, TargetContract
from actors.workers.process import Spawner
from actors.workers.services import WorkerLimits, WorkerServices
from actors.workers.worker import FuzzWorker
from simulator.abi.contract import ContractAbi
from simulator.settings import CampaignSettings
from simulator.transaction import address_bytes
from tests.support.fake_worker import FakeSpawner

SENDERS = CampaignSettings().senders


def _function(name: str, *types: str) -> dict[str, object]:
    inputs = [{"name": "", "type": each} for each in types]
    return {"type": "function", "name": name, "inputs": inputs, "outputs": [], "stateMutability": "payable"}


CONTRACTS = (
    TargetContract(
        "Fake",
        address_bytes(0xA),
        ContractAbi.from_json([_function("poke", "uint256"), _function("give", "address", "uint256")]),
    ),
    TargetContract(
        "Other", address_bytes(0xB), ContractAbi.from_json([_function("poke", "uint256"), _function("only")])
    ),
)


@dataclass
class Assembly:
    """A campaign and everything it stands on; nothing of it runs yet."""

    campaign: Campaign
    keeper: CorpusKeeper
    tracker: CoverageTracker
    log: EventLog
    workers: tuple[FuzzWorker, ...]
    mailbox: Mailbox[CampaignMessage]

    async def run(self) -> CampaignEnd:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.keeper.run)
            end = await self.campaign.run()
            nursery.cancel_scope.cancel()
        return end

    def events(self) -> list[tuple[int, object]]:
        """Worker and event, without times."""
        return [(logged.worker, logged.event) for logged in self.log.since(0)]

    def named(self, name: str) -> list[object]:
        return [event for _, event in self.events() if type(event).__name__ == name]


def assemble(
    spawner: Spawner,
    plan: CampaignPlan,
    *,
    workers: int = 1,
    seed: int = 1,
    limits: WorkerLimits | None = None,
    policy: RestartPolicy | None = None,
    folder: CorpusFolder | None = None,
    dump: Dump | None = None,
    earlier: Earlier | None = None,
) -> Assembly:
    mailbox: Mailbox[CampaignMessage] = Mailbox("campaign", 256)
    keeper, tracker = CorpusKeeper(folder), CoverageTracker()
    log = EventLog(None, wall_clock=trio.current_time)
    services = WorkerServices(
        spawner,
        mailbox,
        keeper,
        tracker,
        log,
        b"project.msgpack",
        CampaignSettings(),
        seed,
        random.Random(seed),
        limits=limits or WorkerLimits(),
        policy=policy or RestartPolicy(),
    )
    ports = CampaignPorts(CallRequestReader(lambda: CONTRACTS, SENDERS), dump)
    campaign = Campaign(plan, mailbox, services, workers, ports, earlier)
    return Assembly(campaign, keeper, tracker, log, campaign.workers, mailbox)


@pytest.fixture
def make_assembly() -> Callable[..., Assembly]:
    return assemble


@pytest.fixture
async def fake_spawner(nursery: trio.Nursery) -> FakeSpawner:
    return FakeSpawner(nursery)
