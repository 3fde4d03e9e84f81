"""Runs of mutants that agents ask for: one at a time, owned by the server, each survivor an event of the campaign."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial

import trio

from actors.events.types import CAMPAIGN, MutantSurvived
from actors.mutation.campaign import MutationCampaign
from actors.mutation.results import MutantResult
from orchestrator.assembly.run_folder import run_folder
from orchestrator.configuration.decide import available_cores, default_workers
from orchestrator.failures import failure_of
from orchestrator.mutation.preparation import MutationLimits, prepare_run
from tools.campaign.access import CampaignComponents
from tools.campaign.extensions.mutation import StartMutationInput

MAX_NOTES = 100


@dataclass
class MutationService:
    """Implements `tools.campaign.extensions.mutation.Mutations`."""

    notes: list[str] = field(default_factory=list)
    failure: str = ""
    current: MutationCampaign | None = None
    busy: bool = False

    def __post_init__(self) -> None:
        self._asked, self._asks = trio.open_memory_channel[tuple[CampaignComponents, StartMutationInput]](1)

    def start(self, parts: CampaignComponents, inputs: StartMutationInput) -> None:
        """Begin a run, where none is under way."""
        self.notes, self.failure, self.current, self.busy = [], "", None, True
        self._asked.send_nowait((parts, inputs))

    async def serve(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Carry out runs until cancelled."""
        task_status.started()
        async for parts, inputs in self._asks:
            try:
                await self._run(parts, inputs)
            except Exception as error:  # the boundary of one run: the server continues, and clients are told
                self.failure = failure_of(error).text.removeprefix("error: ") or type(error).__name__
            finally:
                self.busy = False

    async def _run(self, parts: CampaignComponents, inputs: StartMutationInput) -> None:
        corpus = parts.keeper.sequences()
        workers = default_workers(available_cores())
        seconds = math.inf if inputs.seconds is None else inputs.seconds
        limits = MutationLimits(inputs.mutants, inputs.calls_each, inputs.seconds_each, workers, parts.seed, seconds)
        with run_folder() as folder:
            prepare = partial(
                prepare_run, parts.project, parts.settings, corpus, inputs.only, limits, folder, None, self._say
            )
            run = await trio.to_thread.run_sync(prepare)
            run.on_result = partial(self._tell, parts)
            self.current = run
            await run.run()

    def _say(self, note: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(note)

    def _tell(self, parts: CampaignComponents, result: MutantResult) -> None:
        if result.status == "survived":
            mutant = result.mutant
            event = MutantSurvived(mutant.id, mutant.file, mutant.line, mutant.description)
            parts.log.append(CAMPAIGN, event)
