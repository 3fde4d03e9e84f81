"""One run of `monotreme mutate`, from compilation to the report."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import trio

from actors.mutation.campaign import MutationCampaign
from orchestrator.assembly.compilation import compile_request
from orchestrator.assembly.forking import pinned_chain
from orchestrator.assembly.foundry_world import in_foundry_world
from orchestrator.assembly.kernel import prepare_kernel
from orchestrator.assembly.mode_choice import with_mode
from orchestrator.assembly.run_folder import owned_corpus, run_folder
from orchestrator.configuration.request import CampaignRequest
from orchestrator.figures import duration, percent
from orchestrator.mutation.html import render_mutation_html
from orchestrator.mutation.preparation import MutationLimits, prepare_run, read_corpus
from orchestrator.mutation.report import MutationReport, build_report, render_mutation_json
from orchestrator.mutation.request import MutationRequest
from orchestrator.mutation.text import render_mutation_text
from simulator.errors import TargetError
from simulator.modes.optimization import OPTIMIZATION
from simulator.project import Project
from simulator.settings import CampaignSettings

PROGRESS_SECONDS = 2.0
INTERRUPTED = 130
Tell = Callable[[str], None]


@dataclass(frozen=True)
class MutationOutcome:
    """`exit_code`: 0 when no mutant survived, 1 when some did, 130 when the run was interrupted before one did.
    `output` is the report in the request's format."""

    exit_code: int
    output: str
    report: MutationReport


def run_mutation(request: MutationRequest, tell: Tell) -> MutationOutcome:
    """Try the mutants; blocks until the end. `tell` hears what takes time and how far it is, a line each. SIGINT and
    SIGTERM end the run early, with a report of what is known. Raises typed errors of the rooms, alone or in groups."""
    return trio.run(_run, request, tell)


async def _run(request: MutationRequest, tell: Tell) -> MutationOutcome:
    corpus_folder = request.campaign.corpus_directory
    with run_folder() as folder, owned_corpus(corpus_folder):
        target = await _compiled(request.campaign, tell)
        notes: list[str] = []

        def say(text: str) -> None:
            notes.append(text)
            tell(f"note: {text}")

        campaign = await trio.to_thread.run_sync(partial(_prepare, request, target, folder, say))
        if request.resume and (taken := campaign.take_up()):
            say(f"{taken} mutants were tried before and are not tried again")
        is_whole = await _carry_out(campaign, tell)
        if is_whole and not campaign.results():
            raise TargetError(f"--timeout {request.timeout:g}: no mutant was tried in that time")
        report = build_report(campaign, target.project, target.settings.contract, request.campaign.seed, tuple(notes))
        return MutationOutcome(_exit_code(report, is_whole), _render(report, target.project, request), report)


@dataclass(frozen=True)
class _Target:
    project: Project
    settings: CampaignSettings


async def _compiled(request: CampaignRequest, tell: Tell) -> _Target:
    async with pinned_chain(request, tell) as forking, trio.open_nursery() as nursery:
        nursery.start_soon(prepare_kernel, tell)
        project, selection = await compile_request(request, tell)
    for note in (*selection.notes, selection.note):
        if note:
            tell(f"note: {note}")
    request, chosen_mode = with_mode(request, project, selection.contract)
    if chosen_mode:
        tell(f"note: {chosen_mode}")
    settings = forking.apply(in_foundry_world(request.settings_for(selection.contract), request, project))
    if settings.test_mode == OPTIMIZATION.name:
        raise TargetError("optimization tests have no verdict that a mutant could change: mutate needs properties")
    return _Target(project, settings)


def _prepare(request: MutationRequest, target: _Target, folder: Path, say: Tell) -> MutationCampaign:
    campaign = request.campaign
    corpus = read_corpus(campaign, target.project, target.settings, say)
    if not corpus:
        say(
            "there is no corpus: each mutant is fuzzed from nothing; fuzz with --corpus-dir first, and give it here too"
        )
    limits = MutationLimits(
        request.mutants, request.calls_each, request.seconds_each, campaign.workers, campaign.seed, request.timeout
    )
    kept_in = campaign.corpus_directory
    return prepare_run(target.project, target.settings, corpus, request.only, limits, folder, kept_in, say)


async def _carry_out(campaign: MutationCampaign, tell: Tell) -> bool:
    """Run to the end, or to a signal. Returns whether it came to the end."""
    is_whole = False
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_show_progress, campaign, tell)
            nursery.start_soon(_end_at_signal, signals, nursery.cancel_scope)
            await campaign.run()
            is_whole = True
            nursery.cancel_scope.cancel(reason="all mutants are tried")
    return is_whole


async def _end_at_signal(signals: object, scope: trio.CancelScope) -> None:
    async for _ in signals:  # type: ignore[attr-defined]
        scope.cancel(reason="interrupted")


async def _show_progress(campaign: MutationCampaign, tell: Tell) -> None:
    begun = False
    while True:
        await trio.sleep(PROGRESS_SECONDS)
        status = campaign.status()
        if status.begun is None:
            tell("deploying, and executing the corpus on the code as it is")
            continue
        if not begun and status.begun.failing:
            tell(f"note: left out, since they fail without any mutant: {', '.join(status.begun.failing)}")
        begun = True
        tell(
            f"{percent(status.tried, status.total)}: {status.tried} of {status.total} mutants,"
            f" {status.killed} killed, {status.survived} survived, {status.stillborn} stillborn,"
            f" {duration(status.seconds)}"
        )


def _exit_code(report: MutationReport, is_whole: bool) -> int:
    if report.survived:
        return 1
    return 0 if is_whole else INTERRUPTED


def _render(report: MutationReport, project: Project, request: MutationRequest) -> str:
    match request.format:
        case "json":
            return render_mutation_json(report)
        case "html":
            return render_mutation_html(report, project)
        case "text":
            return render_mutation_text(report, color=request.campaign.color)
