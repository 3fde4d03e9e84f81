"""`run_campaign`: a whole campaign, from paths to an exit code, in one call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import trio

from actors.campaign_state import Earlier
from actors.campaign_status import CampaignEnd
from actors.event_log import EventLog
from actors.messages import CAMPAIGN, CorpusFileSkipped, PhaseChanged, StopCampaign, StopReason, Warned
from actors.process_runner import ProcessRunner
from orchestrator.agents.companion import Companion, Nobody
from orchestrator.assembly.compilation import compile_request
from orchestrator.assembly.errors import CampaignFailed
from orchestrator.assembly.forking import pinned_chain
from orchestrator.assembly.foundry_reproducers import write_foundry_tests
from orchestrator.assembly.kernel import prepare_kernel
from orchestrator.assembly.observation import Observation
from orchestrator.assembly.result import CampaignMaterial, Findings, build_findings, exit_code, render, write_coverage
from orchestrator.assembly.run_folder import owned_corpus, run_folder, write_project
from orchestrator.assembly.signals import Interruption
from orchestrator.assembly.wiring import WORKER_COMMAND, Actors, connect_actors, open_log
from orchestrator.checkpoint.keeping import checkpoint_writer, kept, resumption_event
from orchestrator.checkpoint.resumption import Resumption, take_up
from orchestrator.checkpoint.writer import CheckpointWriter
from orchestrator.configuration.request import CampaignRequest
from orchestrator.display import show_campaign
from orchestrator.report.errors import ReportError
from orchestrator.report.model import CampaignReport
from simulator.compile import Selection
from simulator.errors import AbiError, ChainError, CompileError, CorpusError, KernelError, SimulatorError, TargetError
from simulator.project import Project
from simulator.settings import CampaignSettings

_REFUSALS: dict[str, type[SimulatorError]] = {
    error.code: error for error in (AbiError, ChainError, CompileError, CorpusError, KernelError, TargetError)
}


@dataclass(frozen=True, slots=True)
class CampaignOutcome:
    """`exit_code` is 0, 1, 3 or 130; `output` the report in the request's format, for stdout; `report` its model."""

    exit_code: int
    output: str
    report: CampaignReport


async def prepare_target(
    request: CampaignRequest, tell: Callable[[str], None], runner: ProcessRunner | None
) -> tuple[Project, Selection]:
    """Compile the target and, where it is missing, the kernel, at the same time. Compilers are among the runs of a
    `runner` that keeps its runs."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(prepare_kernel, tell)
        return await compile_request(request, tell, runner)


Prepare = Callable[[CampaignRequest, Callable[[str], None], ProcessRunner | None], Awaitable[tuple[Project, Selection]]]


@dataclass(frozen=True, slots=True)
class CampaignPorts:
    """What a campaign reaches outside itself: the worker program, how a target is compiled, and who goes along."""

    worker_command: Sequence[str] = WORKER_COMMAND
    prepare: Prepare = prepare_target
    companion: Companion = field(default_factory=Nobody)


def run_campaign(request: CampaignRequest, *, ports: CampaignPorts | None = None) -> CampaignOutcome:
    """Compile, deploy, fuzz, shrink, report; blocks until the end, and leaves no process behind.

    SIGINT, SIGTERM and SIGHUP end the campaign early with everything that was found. Raises `CompileError`,
    `TargetError` and other typed errors of the rooms when there is nothing to report, alone or in an exception group,
    and `KeyboardInterrupt` when a signal came before the first worker was started.
    """
    return trio.run(_run, request, ports or CampaignPorts(companion=_companion_of(request)))


def _companion_of(request: CampaignRequest) -> Companion:
    """A server for agents, where a port is configured; the packages behind it take a second or two to load."""
    port = request.configuration.mcp_port
    if port is None:
        return Nobody()
    from orchestrator.agents.company import HttpCompanion

    return HttpCompanion(request.configuration, port)


async def _run(request: CampaignRequest, ports: CampaignPorts) -> CampaignOutcome:
    interruption = Interruption()
    outcome: CampaignOutcome | None = None
    with campaign_folders(request) as folder:
        async with trio.open_nursery() as nursery:
            await nursery.start(interruption.watch, nursery.cancel_scope)
            async with ports.companion.beside():
                outcome = await play_campaign(request, ports, interruption, folder)
            nursery.cancel_scope.cancel(reason="the campaign is over")
    if outcome is None:
        raise KeyboardInterrupt
    return outcome


@contextmanager
def campaign_folders(request: CampaignRequest) -> Iterator[Path]:
    """The private folder of one run, while its corpus folder is owned. Raises `CampaignFolderError`."""
    with run_folder() as folder, owned_corpus(request.corpus_directory):
        yield folder


async def play_campaign(
    request: CampaignRequest, ports: CampaignPorts, interruption: Interruption, folder: Path
) -> CampaignOutcome:
    """One campaign in `folder`, from compilation to reports. Raises as `run_campaign`."""
    observation = Observation(request)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(show_campaign, request.display, observation.read)
        outcome = await _Stage(request, ports, folder, interruption, observation).play()
        nursery.cancel_scope.cancel(reason="the campaign is over")
    return outcome


@dataclass(frozen=True)
class _Stage:
    """The phases of one campaign, in order."""

    request: CampaignRequest
    ports: CampaignPorts
    folder: Path
    interruption: Interruption
    observation: Observation

    async def play(self) -> CampaignOutcome:
        began = trio.current_time()
        log = open_log(self.request)
        log.append(CAMPAIGN, PhaseChanged("compiling"))
        async with pinned_chain(self.request, self.observation.tell) as forking:
            runner = self.ports.companion.runner
            project, selection = await self.ports.prepare(self.request, self.observation.tell, runner)
        if selection.note:
            self.observation.say(selection.note)
        settings = forking.apply(self.request.settings(selection.contract.full_name))
        if forking.event is not None:
            log.append(CAMPAIGN, forking.event)
        self.observation.enter("deploying", target=selection.contract.name)
        resumption = await trio.to_thread.run_sync(take_up, self.request, project, settings)
        stage = replace(self, request=resumption.apply(self.request))
        return await stage.carry_out(project, settings, log, resumption, began)

    async def carry_out(
        self, project: Project, settings: CampaignSettings, log: EventLog, resumption: Resumption, began: float
    ) -> CampaignOutcome:
        project_file = await trio.to_thread.run_sync(write_project, self.folder, project)
        earlier = Earlier(resumption.state, began) if resumption.state is not None else None
        command, stops = self.ports.worker_command, self.ports.companion.stops
        actors = connect_actors(self.request, project, project_file, settings, command, log, earlier, stops)
        self.observation.follow(actors, self.request)
        checkpoints = checkpoint_writer(self.request, resumption, project, actors)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(actors.log.run)
            nursery.start_soon(actors.keeper.run)
            nursery.start_soon(actors.coverage.run)
            async with self.ports.companion.along(self.request, project, actors):
                await self._load(actors, resumption)
                end = await self._fuzz(actors, checkpoints)
                if end.reason is StopReason.REFUSED or (end.ready is None and end.failure is not None):
                    _refuse(end)
                outcome = await self._report(actors, project, end)
            nursery.cancel_scope.cancel(reason="the campaign is over")
        return outcome

    async def _load(self, actors: Actors, resumption: Resumption) -> None:
        for problem in await actors.keeper.load():
            actors.log.append(CAMPAIGN, CorpusFileSkipped(problem))
        sequences = actors.keeper.statistics().sequences
        self.observation.say_loaded(sequences)
        if (event := resumption_event(resumption, sequences)) is not None:
            actors.log.append(CAMPAIGN, event)
        if used_up := resumption.used_up(self.request):
            self.observation.say(used_up)

    async def _fuzz(self, actors: Actors, checkpoints: CheckpointWriter | None) -> CampaignEnd:
        end: CampaignEnd | None = None
        async with kept(checkpoints):
            with trio.CancelScope() as scope:
                self.interruption.quick = scope
                self.interruption.gently = partial(actors.campaign.send, StopCampaign(StopReason.INTERRUPTED))
                end = await actors.campaign.run()
            self.interruption.gently = None
            end = end or await actors.campaign.conclude()
        if checkpoints is not None:
            await checkpoints.write(ended=end.reason.value)
        return end

    async def _report(self, actors: Actors, project: Project, end: CampaignEnd) -> CampaignOutcome:
        actors.log.append(CAMPAIGN, PhaseChanged("reporting"))
        self.observation.enter("reporting")
        if unsaved := await actors.keeper.save_rest():
            actors.log.append(CAMPAIGN, Warned(f"{unsaved} corpus files could not be written"))
        material = CampaignMaterial(
            self.request,
            actors.settings,
            project,
            actors.deployment.book(),
            end,
            actors.tracker.snapshot(),
            actors.keeper.statistics(),
        )
        findings = await trio.to_thread.run_sync(build_findings, material)
        for problem in await trio.to_thread.run_sync(_write_files, material, findings):
            actors.log.append(CAMPAIGN, Warned(problem))
        output = await trio.to_thread.run_sync(render, findings.report, self.request)
        actors.log.append(CAMPAIGN, PhaseChanged("finished"))
        return CampaignOutcome(exit_code(end), output, findings.report)


def _write_files(material: CampaignMaterial, findings: Findings) -> tuple[str, ...]:
    """Coverage reports and Foundry tests. What cannot be written is told, and costs that file only."""
    problems = write_foundry_tests(material)
    try:
        write_coverage(material, findings.files)
    except ReportError as error:
        return (*problems, str(error))
    return problems


def _refuse(end: CampaignEnd) -> NoReturn:
    """The typed error behind a campaign that never came to fuzzing."""
    message = end.failure or "no worker could be started"
    error = _REFUSALS.get(end.refusal or "")
    raise error(message) if error is not None else CampaignFailed(message)
