"""`run_campaign`: a whole campaign, from paths to an exit code, in one call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import msgspec
import trio

from actors.campaign.messages import StopCampaign
from actors.campaign.state import Earlier
from actors.campaign.status import CampaignEnd
from actors.corpus.messages import FROM_FOLDER
from actors.events.log import EventLog
from actors.events.types import CAMPAIGN, CorpusFileSkipped, PhaseChanged, StopReason, Warned
from actors.health.campaign_health import health_notes
from actors.processes.runner import ProcessRunner
from orchestrator.assembly.compilation import compile_request, runner_port
from orchestrator.assembly.corpus_watch import restore_corpus, watch_corpus
from orchestrator.assembly.errors import CampaignFailed, EndedWithFindings
from orchestrator.assembly.executors import EXECUTORS, Executor, Ground
from orchestrator.assembly.export_folder import ExportFolder
from orchestrator.assembly.forking import pinned_chain
from orchestrator.assembly.foundry_world import in_foundry_world, with_foundry_seed
from orchestrator.assembly.kernel import prepare_kernel
from orchestrator.assembly.mode_choice import with_mode
from orchestrator.assembly.observation import Observation
from orchestrator.assembly.result import (
    CampaignMaterial,
    ReportWithSources,
    build_findings,
    exit_code,
    render_output,
    write_coverage,
    write_requested,
    write_saved_report,
)
from orchestrator.assembly.run_folder import owned_corpus, run_folder, write_project
from orchestrator.assembly.signals import Interruption
from orchestrator.assembly.wiring import WORKER_COMMAND, Actors, connect_actors, open_log
from orchestrator.campaign_service import CampaignService, NoService
from orchestrator.checkpoint.keeping import checkpoint_writer, kept, resumption_event
from orchestrator.checkpoint.resumption import Resumption, take_up
from orchestrator.checkpoint.seed_file import with_durable_seed
from orchestrator.checkpoint.writer import CheckpointWriter
from orchestrator.configuration.request import CampaignRequest
from orchestrator.display import show_campaign
from orchestrator.failures import failure_of
from orchestrator.interrupts import conclude
from orchestrator.output_folders import check_output_folders
from orchestrator.report.errors import ReportError
from orchestrator.report.model import CampaignReport
from orchestrator.seeding.sources import SeedSource, take_seeds
from simulator.compile import Selection
from simulator.corpus.store import FOUNDRY_FOLDER
from simulator.errors import AbiError, ChainError, CompileError, CorpusError, KernelError, SimulatorError, TargetError
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence as Calls

SALVAGE_SECONDS = 60.0
_REFUSALS: dict[str, type[SimulatorError]] = {
    error.code: error for error in (AbiError, ChainError, CompileError, CorpusError, KernelError, TargetError)
}


@dataclass(frozen=True, slots=True)
class CampaignOutcome:
    """`exit_code` is 0, 1, 3 or 130; `output` the report in the request's format, for stdout; `report` its model. An
    `error` ended the campaign before its time: the report holds what was found until then."""

    exit_code: int
    output: str
    report: CampaignReport
    error: Exception | None = None


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
class ProgramPorts:
    """Reach of a campaign outside itself: the worker program, how a target is compiled, what serves it to agents."""

    worker_command: Sequence[str] = WORKER_COMMAND
    prepare: Prepare = prepare_target
    service: CampaignService = field(default_factory=NoService)


def run_campaign(request: CampaignRequest, *, ports: ProgramPorts | None = None) -> CampaignOutcome:
    """Compile, deploy, fuzz, shrink, report; blocks until the end, and leaves no process behind.

    SIGINT, SIGTERM and SIGHUP end the campaign early with everything that was found; once there is an outcome, they
    are held. Raises `CompileError`, `TargetError` and other typed errors of the rooms when there is nothing to report,
    alone or in an exception group, `KeyboardInterrupt` when a signal came before the first worker was started, and
    `EndedWithFindings` when signals ended the campaign before the report of failed tests was made.
    """
    interruption = Interruption()
    with interruption.listening():
        outcome = trio.run(_run, request, ports or ProgramPorts(), interruption)
        conclude(outcome.exit_code if outcome.error is None else failure_of(outcome.error).exit_code)
    return outcome


async def _run(request: CampaignRequest, ports: ProgramPorts, interruption: Interruption) -> CampaignOutcome:
    # What is known stays known, also where signals cut short what comes after it.
    outcomes: list[CampaignOutcome] = []
    with campaign_folders(request) as folder:
        async with trio.open_nursery() as nursery:
            await nursery.start(interruption.watch, nursery.cancel_scope)
            async with ports.service.around_run():
                await play_campaign(request, ports, interruption, folder, outcomes.append)
            nursery.cancel_scope.cancel(reason="the campaign is over")
    if outcomes:
        return outcomes[-1]
    if failed := interruption.failed_tests():
        raise EndedWithFindings(f"interrupted before the report was made; failed tests: {failed}")
    raise KeyboardInterrupt


@contextmanager
def campaign_folders(request: CampaignRequest) -> Iterator[Path]:
    """The private folder of one run, while its corpus folder is owned. Raises `CampaignFolderError`, and
    `PolicyRefused` before anything is written."""
    check_output_folders(request)
    with run_folder() as folder, owned_corpus(request.corpus_directory):
        yield folder


async def play_campaign(
    request: CampaignRequest,
    ports: ProgramPorts,
    interruption: Interruption,
    folder: Path,
    keep: Callable[[CampaignOutcome], None] = lambda outcome: None,
) -> None:
    """One campaign in `folder`, from compilation to reports. `keep` gets the outcome as soon as it is known. Raises as
    `run_campaign`."""
    request = await trio.to_thread.run_sync(with_durable_seed, request)
    observation = Observation(request)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(show_campaign, request.display, observation.read, observation)
        await _Stage(request, ports, folder, interruption, observation, keep).play()
        nursery.cancel_scope.cancel(reason="the campaign is over")


@dataclass(frozen=True)
class _Stage:
    """The phases of one campaign, in order."""

    request: CampaignRequest
    ports: ProgramPorts
    folder: Path
    interruption: Interruption
    observation: Observation
    keep: Callable[[CampaignOutcome], None]

    async def play(self) -> None:
        began = trio.current_time()
        log = open_log(self.request)
        log.append(CAMPAIGN, PhaseChanged("compiling"))
        async with pinned_chain(self.request, self.observation.tell) as forking:
            runner = self.ports.service.runner
            project, selection = await self.ports.prepare(self.request, self.observation.tell, runner)
        for note in (*selection.notes, selection.note):
            if note:
                self.observation.say(note)
        request, chosen_mode = with_mode(self.request, project, selection.contract)
        if chosen_mode:
            self.observation.say(chosen_mode)
        chosen = in_foundry_world(request.settings_for(selection.contract), request, project)
        seeded = with_foundry_seed(request, chosen, project)
        if seeded.seed != request.seed:
            self.observation.say(f"the seed is {seeded.seed}, as foundry.toml says; --seed chooses otherwise")
            request = await trio.to_thread.run_sync(with_durable_seed, seeded)
        settings = forking.apply(chosen)
        if forking.event is not None:
            log.append(CAMPAIGN, forking.event)
        self.observation.enter("deploying", target=selection.contract.name)
        resumption = await trio.to_thread.run_sync(take_up, request, project, settings)
        stage = replace(self, request=resumption.apply(request))
        await stage.carry_out(project, settings, log, resumption, began)

    async def carry_out(
        self, project: Project, settings: CampaignSettings, log: EventLog, resumption: Resumption, began: float
    ) -> None:
        project_file = await trio.to_thread.run_sync(write_project, self.folder, project)
        earlier = Earlier(resumption.state, began) if resumption.state is not None else None
        seeds = () if earlier is not None else await self._seeds(project, project_file, settings)
        command, stops = self.ports.worker_command, self.ports.service.stops
        ground = Ground(self.request, command, project_file, self.observation.say, self.observation.tell)
        async with EXECUTORS[self.request.configuration.executor](ground) as executor:
            actors = connect_actors(self.request, project, settings, executor, log, earlier, stops)
            await self._play(actors, project, executor, resumption, seeds)

    async def _seeds(self, project: Project, project_file: Path, settings: CampaignSettings) -> tuple[Calls, ...]:
        observation = self.observation
        source = SeedSource(self.request, project, project_file, settings, observation.say, observation.tell)
        return await take_seeds(source, runner_port(self.ports.service.runner or ProcessRunner()))

    async def _play(
        self, actors: Actors, project: Project, executor: Executor, resumption: Resumption, seeds: tuple[Calls, ...]
    ) -> None:
        self.observation.follow(actors, self.request)
        checkpoints = checkpoint_writer(self.request, resumption, project, actors)
        outcome: CampaignOutcome | None = None
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(actors.log.run)
                nursery.start_soon(actors.keeper.run)
                nursery.start_soon(actors.coverage.run)
                nursery.start_soon(executor.follow, actors.campaign)
                async with self.ports.service.around_actors(self.request, project, actors):
                    await self._load(actors, resumption)
                    await self._plant(actors, seeds)
                    end = await self._fuzz(actors, checkpoints)
                    if not _is_refused(end):
                        outcome = await self._finish(actors, project, end)
                        self.keep(outcome)
                nursery.cancel_scope.cancel(reason="the campaign is over")
        # The boundary of a campaign: whatever ended it, readers are notified and findings are reported.
        except Exception as error:
            self.keep(await self._salvage(actors, project, error))
            return
        if outcome is None:
            _refuse(end)

    async def _salvage(self, actors: Actors, project: Project, error: Exception) -> CampaignOutcome:
        """The outcome of a campaign that an error has ended, without the actors that the error may have ended too.
        Raises the error itself when the target was never deployed, or when no report can be made."""
        end = actors.campaign.fail(failure_of(error).text.removeprefix("error: ").partition("\n")[0])
        outcome: CampaignOutcome | None = None
        with trio.move_on_after(SALVAGE_SECONDS, shield=True), suppress(Exception):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_write_last_events, actors.log)
                if end.ready is not None:
                    outcome = await self._report(actors, project, end)
                nursery.cancel_scope.cancel(reason="the campaign is over")
        if outcome is None:
            raise error
        return replace(outcome, exit_code=exit_code(end, outcome.report), error=error)

    async def _load(self, actors: Actors, resumption: Resumption) -> None:
        for problem in await actors.keeper.load():
            actors.log.append(CAMPAIGN, CorpusFileSkipped(problem))
        sequences = actors.keeper.statistics().sequences
        self.observation.say_loaded(sequences)
        if (event := resumption_event(resumption, sequences)) is not None:
            actors.log.append(CAMPAIGN, event)
        if used_up := resumption.used_up(self.request):
            self.observation.say(used_up)

    async def _plant(self, actors: Actors, seeds: tuple[Calls, ...]) -> None:
        kept = await actors.keeper.keep(FROM_FOLDER, seeds)
        if problem := next((each.problem for each in kept if each.problem), None):
            actors.log.append(CAMPAIGN, Warned(problem))

    async def _fuzz(self, actors: Actors, checkpoints: CheckpointWriter | None) -> CampaignEnd:
        end: CampaignEnd | None = None
        async with kept(checkpoints), trio.open_nursery() as nursery:
            nursery.start_soon(watch_corpus, actors.keeper, actors.log, self.request.corpus_directory)
            with trio.CancelScope() as scope:
                self.interruption.failed_tests = actors.campaign.failed_tests
                self.interruption.quick = scope
                self.interruption.gently = partial(actors.campaign.send, StopCampaign(StopReason.INTERRUPTED))
                end = await actors.campaign.run()
            self.interruption.gently = None
            end = end or await actors.campaign.conclude()
            nursery.cancel_scope.cancel(reason="fuzzing is over")
        if checkpoints is not None:
            await checkpoints.write(ended=end.reason.value)
        return end

    async def _finish(self, actors: Actors, project: Project, end: CampaignEnd) -> CampaignOutcome:
        await restore_corpus(actors.keeper, actors.log, self.request.corpus_directory)
        if unsaved := await actors.keeper.save_rest():
            actors.log.append(CAMPAIGN, Warned(f"{unsaved} corpus files could not be written"))
        return await self._report(actors, project, end)

    async def _report(self, actors: Actors, project: Project, end: CampaignEnd) -> CampaignOutcome:
        actors.log.append(CAMPAIGN, PhaseChanged("reporting"))
        self.observation.enter("reporting")
        material = CampaignMaterial(
            self.request,
            actors.settings,
            project,
            actors.deployment.book(),
            end,
            actors.tracker.snapshot(),
            actors.keeper.statistics(),
            notes=health_notes(actors.tracker, actors.campaign.priorities),
        )
        for folder in self._export_folders():
            material = await self._export(actors, material, folder)
        findings = await trio.to_thread.run_sync(build_findings, material)
        output = await trio.to_thread.run_sync(render_output, material, findings)
        failure: Exception | None = None
        try:
            for problem in await trio.to_thread.run_sync(_write_files, material, findings):
                actors.log.append(CAMPAIGN, Warned(problem))
        # No file of a report is worth the report on stdout, nor the other files.
        except Exception as error:
            failure = error
            actors.campaign.fail(failure_of(error).text.partition("\n")[0])
        actors.log.append(CAMPAIGN, PhaseChanged("finished"))
        code = exit_code(end, findings.report, self.request.configuration.require)
        return CampaignOutcome(code, output, findings.report, failure)

    def _export_folders(self) -> list[Path]:
        """Return the folders of Foundry tests: what was asked for by name, then the corpus folder, which reports
        name."""
        named = [each.path for each in self.request.reports if each.path is not None and each.format.is_folder]
        corpus = self.request.corpus_directory
        return [*named, *([corpus / FOUNDRY_FOLDER] if corpus is not None else [])]

    async def _export(self, actors: Actors, material: CampaignMaterial, place: Path) -> CampaignMaterial:
        """Write Foundry tests of the findings, and execute them, unless the user is in a hurry."""
        folder = ExportFolder(material, place.parent, place.name)
        await trio.to_thread.run_sync(folder.write)
        if reason := self._why_unchecked(material):
            await trio.to_thread.run_sync(folder.skip, reason)
        else:
            with trio.CancelScope() as scope:
                self.interruption.quick = scope
                run = runner_port(self.ports.service.runner or ProcessRunner())
                await trio.to_thread.run_sync(folder.check, run, self.observation.tell)
            if scope.cancelled_caught:
                await trio.to_thread.run_sync(folder.skip, "it was interrupted")
        for problem in folder.done.problems:
            actors.log.append(CAMPAIGN, Warned(problem))
        return msgspec.structs.replace(material, exports=folder.done.reports)

    def _why_unchecked(self, material: CampaignMaterial) -> str | None:
        if not self.request.configuration.verify_exports:
            return "verifyExports is false"
        if material.end.failure is not None:
            return "the campaign failed"
        return "the campaign was interrupted" if self.interruption.count else None


def _write_files(material: CampaignMaterial, findings: ReportWithSources) -> tuple[str, ...]:
    """Reports in the campaign's folders, where a failed write is reported and affects that file only; then those that
    were asked for by name. Raises `ReportError` for these."""
    problems = []
    writers = (
        partial(write_coverage, material, findings.files, findings.report.health or None),
        partial(write_saved_report, material, findings.report),
    )
    for write in writers:
        try:
            write()
        except ReportError as error:
            problems.append(str(error))
    write_requested(material, findings)
    return tuple(problems)


async def _write_last_events(log: EventLog) -> None:
    # The log itself may be what failed, and it fails no report.
    with suppress(Exception):
        await log.run()


def _is_refused(end: CampaignEnd) -> bool:
    return end.reason is StopReason.REFUSED or (end.ready is None and end.failure is not None)


def _refuse(end: CampaignEnd) -> NoReturn:
    """The typed error behind a campaign that never came to fuzzing."""
    message = end.failure or "no worker could be started"
    error = _REFUSALS.get(end.refusal or "")
    raise error(message) if error is not None else CampaignFailed(message)
