"""The actors of one campaign, made and connected, not yet running."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from actors.campaign import MAILBOX_CAPACITY, Campaign, CampaignPlan
from actors.corpus_keeper import CorpusKeeper
from actors.corpus_reader import CorpusReader
from actors.coverage_reader import CoverageReader
from actors.coverage_tracker import CoverageTracker
from actors.event_log import EventLog
from actors.fuzz_worker import FuzzWorker
from actors.mailbox import Mailbox
from actors.messages import CampaignMessage
from actors.process_runner import scrubbed_environment
from actors.worker_process import LocalSpawner
from actors.worker_services import WorkerServices
from orchestrator.assembly.addresses import Deployment
from orchestrator.assembly.corpus_folder import EchidnaCorpus
from orchestrator.configuration.request import CampaignRequest
from simulator.project import Project
from simulator.settings import CampaignSettings

WORKER_COMMAND = (sys.executable, "-P", "-m", "simulator.worker")
WORKER_VARIABLES = (
    *("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "MONOTREME_CACHE", "XDG_CACHE_HOME"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),  # whom to trust when a forked chain is read
)
EVENTS_FILE = "events.jsonl"


@dataclass(frozen=True)
class Actors:
    """Everything that runs, and what people and reports read."""

    campaign: Campaign
    keeper: CorpusKeeper
    tracker: CoverageTracker
    log: EventLog
    corpus: CorpusReader
    coverage: CoverageReader
    deployment: Deployment
    settings: CampaignSettings


def connect_actors(
    request: CampaignRequest,
    project: Project,
    project_file: Path,
    settings: CampaignSettings,
    worker_command: Sequence[str] = WORKER_COMMAND,
) -> Actors:
    """All actors of the request's campaign. Hash randomisation is off in workers, so that no order depends on it."""
    mailbox: Mailbox[CampaignMessage] = Mailbox("campaign", MAILBOX_CAPACITY)
    deployment = Deployment(project, settings, lambda: campaign.ready)
    corpus = request.corpus_directory
    optimizing = settings.test_mode == "optimization"
    keeper = CorpusKeeper(EchidnaCorpus(corpus, deployment.abi_of, optimizing=optimizing) if corpus else None)
    tracker = CoverageTracker()
    log = EventLog(corpus / EVENTS_FILE if corpus else None, wall_clock=time.time)
    environment = scrubbed_environment(WORKER_VARIABLES, PYTHONHASHSEED="0")
    services = WorkerServices(
        spawner=LocalSpawner(worker_command, environment, project_file.parent),
        campaign=mailbox,
        keeper=keeper,
        tracker=tracker,
        log=log,
        project=os.fspath(project_file),
        settings=settings,
        seed=request.seed,
        rng=random.Random(request.seed),
    )
    plan = CampaignPlan(request.call_limit, request.time_limit, settings.shrink_limit, settings.stop_on_fail)
    workers = tuple(FuzzWorker(index, services) for index in range(request.workers))
    campaign = Campaign(plan, mailbox, keeper, tracker, log, workers)
    reader = CorpusReader(keeper, deployment.book)
    coverage = CoverageReader(tracker, project, request.configuration.coverage_excludes, reader.nearest)
    return Actors(campaign, keeper, tracker, log, reader, coverage, deployment, settings)
