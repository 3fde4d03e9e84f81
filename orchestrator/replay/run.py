"""A campaign with the commands of another."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from orchestrator.campaign import CampaignOutcome, ProgramPorts, run_campaign
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.request import CampaignRequest
from orchestrator.replay.recorded import RecordedCommand
from orchestrator.replay.service import ReplayService
from simulator.corpus.store import load_corpus


def run_replay(
    request: CampaignRequest,
    log: Path,
    commands: Sequence[RecordedCommand],
    tell: Callable[[str], None],
    ports: ProgramPorts | None = None,
) -> CampaignOutcome:
    """Run a fresh campaign with these commands of `log`; `tell` gets a line for each, and the corpus's digest at the
    end. Raises as `run_campaign`, `CommandLogError`, and `ConfigurationError` for a corpus folder that is not empty."""
    folder = request.corpus_directory
    if folder is not None and load_corpus(folder)[0]:
        raise ConfigurationError(f"{folder}: a replay begins with an empty corpus; give another --corpus-dir")
    if folder is not None and folder.resolve() == log.resolve().parent:
        raise ConfigurationError(f"{folder}: {log} is being read there; give another --corpus-dir")
    service = ReplayService(log, commands, request.configuration, tell)
    outcome = run_campaign(request, ports=replace(ports or ProgramPorts(), service=service))
    if folder is not None:
        tell(f"corpus digest: {corpus_digest(folder)}")
    return outcome


def corpus_digest(folder: Path) -> str:
    """32 hex digits over the sequences of a corpus folder, whatever their order."""
    entries, _ = load_corpus(folder)
    return hashlib.sha256("".join(sorted(entry.id for entry in entries)).encode()).hexdigest()[:32]
