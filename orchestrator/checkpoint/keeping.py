"""The checkpoint among the other parts of a campaign: writing it periodically, and reporting its failures."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from actors.events.types import CampaignResumed, CheckpointIgnored
from orchestrator.assembly.wiring import Actors
from orchestrator.checkpoint.file import checkpoint_of
from orchestrator.checkpoint.identity import code_digests, setting_digests
from orchestrator.checkpoint.resumption import Resumption
from orchestrator.checkpoint.writer import CheckpointWriter
from orchestrator.configuration.request import CampaignRequest
from simulator.project import Project


def checkpoint_writer(
    request: CampaignRequest, resumption: Resumption, project: Project, actors: Actors
) -> CheckpointWriter | None:
    """The writer of this campaign, None without a corpus folder."""
    if request.corpus_directory is None:
        return None
    return CheckpointWriter(
        path=checkpoint_of(request.corpus_directory),
        campaign_id=resumption.campaign,
        seed=request.seed,
        target=actors.settings.contract,
        codes=code_digests(project, actors.settings),
        settings=setting_digests(actors.settings),
        campaign=actors.campaign,
        log=actors.log,
        wall_clock=time.time,
    )


@asynccontextmanager
async def kept(writer: CheckpointWriter | None) -> AsyncIterator[None]:
    """Let the checkpoint be written every few seconds within the block."""
    async with trio.open_nursery() as nursery:
        if writer is not None:
            nursery.start_soon(writer.run)
        yield
        nursery.cancel_scope.cancel(reason="fuzzing is over")


def resumption_event(resumption: Resumption, sequences: int) -> CampaignResumed | CheckpointIgnored | None:
    """The event of a resumption; `sequences` are in the corpus."""
    checkpoint = resumption.checkpoint
    if checkpoint is None:
        return CheckpointIgnored(resumption.ignored) if resumption.ignored else None
    state = checkpoint.state
    tests = [record for record in state.tests if record.is_test]
    decided = sum(record.falsified for record in tests)
    return CampaignResumed(
        checkpoint.campaign, checkpoint.saved, state.calls, state.seconds, len(tests), decided, sequences
    )
