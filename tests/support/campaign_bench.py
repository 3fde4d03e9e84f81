"""A campaign over fake workers with the facade's tools in front of it, for tests of the campaign tools.

The target is a token whose functions the fake workers call, so that calls have texts. The clock is the real one, as
tools use threads; deadlines are long unless a test wants them short.
"""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import trio

from actors.campaign.actor import Campaign
from actors.campaign.messages import CampaignMessage
from actors.campaign.plan import CampaignPlan, CampaignPorts
from actors.corpus.keeper import CorpusKeeper
from actors.corpus.reader import CorpusReader
from actors.coverage.reader import CoverageReader
from actors.coverage.tracker import CoverageTracker
from actors.events.log import EventLog
from actors.runtime.mailbox import Mailbox
from actors.steering.call_reader import CallRequestReader, TargetContract
from actors.workers.services import WorkerServices
from simulator.abi.contract import ContractAbi
from simulator.project import Contract, Project, SourceFile, Unit
from simulator.settings import CampaignSettings
from simulator.trace.address_book import AddressBook
from simulator.transaction import Transaction, address_bytes, wei_bytes
from simulator.worker.commands import Setup, ToWorker
from simulator.worker.reports import FunctionInfo, Ready
from tests.support.fake_worker import CODE, TESTS, FakeBrain, FakeScript, FakeSpawner, behave
from tests.support.patience import PATIENCE
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.contract import literal_schemas
from tools.campaign.extensions.completion import CampaignCompletion
from tools.campaign.extensions.lifecycle import Start
from tools.campaign.prompts import PROMPTS
from tools.campaign.resources import CampaignResources
from tools.campaign.table import TOOLS, CampaignContext
from tools.command_log import CommandLog
from tools.deadlines import Deadlines
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry, tools_of
from tools.roots import AllowedRoots
from tools.schema_resources import SchemaResources
from tools.serving.facade import Facade

PATIENT = Deadlines(campaign=30_000, analysis=30_000)
TOKEN = address_bytes(0xA)
SENDER = address_bytes(0x10000)


def _function(name: str, *types: str, mutability: str = "nonpayable") -> dict[str, object]:
    inputs = [{"name": "", "type": each} for each in types]
    return {"type": "function", "name": name, "inputs": inputs, "outputs": [], "stateMutability": mutability}


ABI = (
    _function("transfer", "address", "uint256"),
    _function("transferFrom", "address", "address", "uint256"),
    _function("approve", "address", "uint256"),
    _function("deposit", mutability="payable"),
    _function("note", "string", "uint256[]", "bool"),
)
TOKEN_ABI = ContractAbi.from_json(ABI)
SOURCE = "contract Token {}\n"
CONTRACT = Contract("Token.sol", "Token", "contract", ABI, b"\x00", b"\x00")
PROJECT = Project("/", (Unit("0.8.30", "cancun", (SourceFile(0, "Token.sol", SOURCE),), (CONTRACT,)),))
SETTINGS = CampaignSettings(contract="Token.sol:Token", contract_address=TOKEN)
FUNCTIONS = tuple(
    FunctionInfo("Token", function.signature, function.selector, function.signature == "deposit()")
    for function in TOKEN_ABI.functions
)


def call(name: str, *arguments: object, sender: bytes = SENDER, value: int = 0) -> Transaction:
    """A call of the token."""
    function = next(each for each in TOKEN_ABI.functions if each.name == name)
    return Transaction(sender, TOKEN, function.encode_call(arguments), wei_bytes(value))


class TokenBrain(FakeBrain):
    """Calls transfer with random amounts."""

    def answer(self, command: ToWorker) -> Any:
        if isinstance(command, Setup):
            self.commands.append(command)
            self.rng = random.Random(command.seed)
            return iter([Ready(TESTS, FUNCTIONS, (CODE,), ((TOKEN, "Token"),))])
        return super().answer(command)

    def sequence(self) -> tuple[Transaction, ...]:
        return tuple(call("transfer", 0x20000, self.rng.randrange(1_000)) for _ in range(4))


@dataclass
class Bench:
    """A running campaign and how a client sees it."""

    parts: CampaignComponents
    access: CampaignAccess
    registry: ToolRegistry
    facade: Facade
    command_log: CommandLog
    spawner: FakeSpawner
    over: trio.Event = field(default_factory=trio.Event)

    @property
    def dispatcher(self) -> Dispatcher:
        return self.facade.dispatcher

    async def ask(self, tool: str, **arguments: object) -> Any:
        """The answer of a tool that succeeds: the object, or the text."""
        rendered = await self.dispatcher.call(tool, arguments)
        assert not rendered.is_error, rendered.text
        return rendered.structured if rendered.structured is not None else rendered.text

    async def error(self, tool: str, **arguments: object) -> dict[str, Any]:
        """The error of a tool that fails."""
        rendered = await self.dispatcher.call(tool, arguments)
        assert rendered.is_error, rendered.text
        body = json.loads(rendered.text)
        assert body["success"] is False
        return body["error"]

    async def until(self, event: str, count: int = 1) -> None:
        """Wait until the log holds so many events of a type."""
        cursor = 0
        with trio.fail_after(PATIENCE):
            while count > 0:
                batch = await self.parts.log.wait(cursor, event_type=event)
                cursor, count = batch.cursor, count - len(batch.events)


@asynccontextmanager
async def campaign_bench(
    folder: Path,
    *,
    workers: int = 1,
    script: FakeScript | None = None,
    call_limit: int | None = None,
    deadlines: Deadlines = PATIENT,
    start: Start | None = None,
    pace: float = 0.0005,
    running: bool = True,
) -> AsyncIterator[Bench]:
    """A campaign without end unless it has a limit; `running` False leaves its actors out."""
    async with trio.open_nursery() as nursery:
        brisk = partial(behave, seconds_per_frame=pace)
        spawner = FakeSpawner(nursery, lambda *_: script or FakeScript(falsify={}), lambda *_: brisk)
        spawner.brain = TokenBrain
        bench = _bench(folder, workers, call_limit, deadlines, start, spawner)
        async with bench.command_log.writing_to(folder):
            if running:
                nursery.start_soon(bench.parts.keeper.run)
                nursery.start_soon(bench.parts.coverage.run)
                nursery.start_soon(_run, bench)
                await bench.until("WorkerStarted", workers)
            yield bench
        nursery.cancel_scope.cancel()


async def _run(bench: Bench) -> None:
    await bench.parts.campaign.run()
    bench.over.set()


def _bench(
    folder: Path,
    workers: int,
    call_limit: int | None,
    deadlines: Deadlines,
    start: Start | None,
    spawner: FakeSpawner,
) -> Bench:
    mailbox: Mailbox[CampaignMessage] = Mailbox("campaign", 256)
    keeper, tracker = CorpusKeeper(None), CoverageTracker()
    log = EventLog(None, wall_clock=lambda: 1_766_226_645.5)
    services = WorkerServices(spawner, mailbox, keeper, tracker, log, b"project.msgpack", SETTINGS, 1, random.Random(1))
    targets = (TargetContract("Token", TOKEN, TOKEN_ABI),)
    ports = CampaignPorts(CallRequestReader(lambda: targets, SETTINGS.senders))
    campaign = Campaign(CampaignPlan(call_limit, None, 100), mailbox, services, workers, ports)
    book = AddressBook.from_project(PROJECT, [(TOKEN, "Token.sol:Token")])
    corpus = CorpusReader(keeper, lambda: book)
    parts = CampaignComponents(
        campaign=campaign,
        keeper=keeper,
        coverage=CoverageReader(tracker, PROJECT, (), corpus.nearest),
        log=log,
        book=lambda: book,
        project=PROJECT,
        settings=SETTINGS,
        seed=1,
        corpus=corpus,
        corpus_folder=folder,
        foundry_test=lambda record: f"// {record.info.name}\n",
        foundry_replay=lambda name, sequence: f"// {name}: {len(sequence)} calls\n",
    )
    return with_tools(parts, folder, deadlines, start, spawner)


def with_tools(
    parts: CampaignComponents | None,
    folder: Path,
    deadlines: Deadlines,
    start: Start | None,
    spawner: FakeSpawner | None,
) -> Bench:
    """The facade over a campaign, or over none."""
    access = CampaignAccess(parts)
    roots = AllowedRoots([folder], folder)
    command_log = CommandLog(lambda: 1_766_226_645.5)
    context = CampaignContext(access, roots, start, commands=lambda: command_log.newest)
    registry = ToolRegistry(tools_of(TOOLS, context))
    sources = (CampaignResources(access), SchemaResources(registry, literal_schemas()))
    dispatcher = Dispatcher(registry, deadlines, command_log)
    complete = CampaignCompletion(access).complete
    facade = Facade(dispatcher=dispatcher, sources=sources, prompts=PROMPTS, complete=complete)
    return Bench(parts, access, registry, facade, command_log, spawner)
