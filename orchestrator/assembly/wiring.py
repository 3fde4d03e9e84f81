"""The actors of one campaign, made and connected, not yet running."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path

from actors.campaign.actor import MAILBOX_CAPACITY, Campaign
from actors.campaign.messages import CampaignMessage
from actors.campaign.plan import CampaignPlan, CampaignPorts
from actors.campaign.state import Earlier
from actors.corpus.keeper import CorpusKeeper
from actors.corpus.reader import CorpusReader
from actors.coverage.reader import CoverageReader
from actors.coverage.tracker import CoverageTracker
from actors.events.log import EventLog
from actors.priorities.manager import PriorityManager
from actors.runtime.mailbox import Mailbox
from actors.steering.call_reader import CallRequestReader
from actors.workers.services import WorkerLimits, WorkerServices
from orchestrator.assembly.addresses import DeployedNames
from orchestrator.assembly.compilation import unreported_sources
from orchestrator.assembly.corpus_folder import EchidnaCorpus
from orchestrator.assembly.executors import Executor
from orchestrator.assembly.live_reports import LiveReports
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from simulator.own_process import module_command
from simulator.project import Project
from simulator.settings import CampaignSettings

WORKER_COMMAND = tuple(module_command("simulator.worker"))
EVENTS_FILE = "events.jsonl"


@dataclass(frozen=True)
class Actors:
    """Everything that runs, and the sources of displays and reports."""

    campaign: Campaign
    keeper: CorpusKeeper
    tracker: CoverageTracker
    log: EventLog
    corpus: CorpusReader
    coverage: CoverageReader
    deployment: DeployedNames
    settings: CampaignSettings


def worker_limits(configuration: Configuration) -> WorkerLimits:
    """The limits of a worker that can be configured, and the defaults of the others."""
    return WorkerLimits(
        silence=configuration.worker_heartbeat_timeout,
        memory=configuration.worker_memory_limit << 20,
        recycle=configuration.worker_recycle_calls,
    )


def open_log(request: CampaignRequest) -> EventLog:
    """The campaign's event log, which begins before there is anything to fuzz."""
    corpus = request.corpus_directory
    return EventLog(corpus / EVENTS_FILE if corpus else None, wall_clock=time.time)


def _corpus_folder(
    root: Path, request: CampaignRequest, settings: CampaignSettings, deployment: DeployedNames
) -> EchidnaCorpus:
    return EchidnaCorpus(
        root,
        deployment.abi_of,
        optimizing=settings.test_mode == "optimization",
        corpus_format=request.corpus_format,
        target=(settings.contract.rpartition(":")[2], settings.contract_address),
    )


def connect_actors(
    request: CampaignRequest,
    project: Project,
    settings: CampaignSettings,
    executor: Executor,
    log: EventLog | None = None,
    earlier: Earlier | None = None,
    stops: tuple[int, ...] = (),
) -> Actors:
    """All actors of the request's campaign, which continues from `earlier` and halts at `stops`."""
    mailbox: Mailbox[CampaignMessage] = Mailbox("campaign", MAILBOX_CAPACITY)
    deployment = DeployedNames(project, settings, lambda: campaign.ready)
    corpus = request.corpus_directory
    folder = _corpus_folder(corpus, request, settings, deployment) if corpus else None
    keeper = CorpusKeeper(folder)
    tracker = CoverageTracker()
    log = log or open_log(request)
    services = WorkerServices(
        spawner=executor.spawner,
        campaign=mailbox,
        keeper=keeper,
        tracker=tracker,
        log=log,
        project=executor.project,
        settings=executor.adapt(settings),
        seed=request.seed,
        rng=random.Random(request.seed),
        priorities=PriorityManager(automatic=request.configuration.automatic_priorities),
        limits=worker_limits(request.configuration),
    )
    plan = CampaignPlan(
        request.call_limit,
        request.time_limit,
        settings.shrink_limit,
        settings.stop_on_fail,
        coverage_limit=request.configuration.coverage_timeout,
        stops=stops,
        stays_open=request.stays_open,
        begins_paused=request.paused,
        clamps=tuple(clamp.command() for clamp in request.configuration.clamps),
    )
    live_reports = LiveReports(request, settings, project, deployment, tracker, keeper, services.priorities)
    calls = CallRequestReader(
        deployment.contracts, settings.senders, settings.transaction_gas, random.Random(f"{request.seed}/steering")
    )
    campaign = Campaign(plan, mailbox, services, request.workers, CampaignPorts(calls, live_reports), earlier)
    reader = CorpusReader(keeper, deployment.book)
    coverage = CoverageReader(tracker, project, unreported_sources(project, request.configuration), reader.nearest)
    return Actors(campaign, keeper, tracker, log, reader, coverage, deployment, settings)
