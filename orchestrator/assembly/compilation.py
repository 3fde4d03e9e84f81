"""Compilation as a campaign's first phase: in a thread, its compilers under the process runner, cancellable."""

from __future__ import annotations

import glob
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
import trio

from actors.processes.runner import ProcessRunner
from actors.runtime.errors import ProcessLimitExceeded, ProcessNotStarted
from orchestrator.configuration.decide import available_cores, default_workers
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from simulator.compile import (
    ProcessError,
    ProcessResult,
    Runner,
    Selection,
    choose_contract,
    choose_contracts,
    compile_targets,
)
from simulator.compile.projects.exclusion import excluded_sources, without_constants_of
from simulator.compile.solc.runner import MAX_OUTPUT, Job
from simulator.errors import SimulatorError
from simulator.project import Project

Progress = Callable[[str], None]
Chosen = TypeVar("Chosen")


COMPILATION = "campaign.compile"
MAX_COMPILERS = 4
"""Compilers at a time: each may take a gigabyte."""


async def compile_request(
    request: CampaignRequest, tell: Progress, runner: ProcessRunner | None = None
) -> tuple[Project, Selection]:
    """Compile what the request points at and choose the contract. `tell` gets a few words on what takes time. With a
    `runner` that keeps its runs, compilers are among them.

    Raises `CompileError`s with their diagnostics and `TargetError`. Cancelling ends compilers and the thread.
    """
    run = runner_port(runner or ProcessRunner())
    return await trio.to_thread.run_sync(partial(_compile, request, run, _progress_port(tell)))


async def compile_several(
    request: CampaignRequest, tell: Progress, runner: ProcessRunner | None = None
) -> tuple[Project, tuple[Selection, ...]]:
    """The same for a request that names several contracts, or patterns of names: one selection for each, in the order
    of the names, the notes with the first."""
    run = runner_port(runner or ProcessRunner())
    return await trio.to_thread.run_sync(partial(_compile_several, request, run, _progress_port(tell)))


def _compile(request: CampaignRequest, run: Runner, progress: Progress) -> tuple[Project, Selection]:
    keys, name = request.configuration, request.contract

    def choose(project: Project) -> Selection:
        has_arguments = bool(keys.constructor_values)
        return choose_contract(project, name, keys.prefix, mode=keys.test_mode, has_arguments=has_arguments)

    project, selection, notes = _compiled(request, run, progress, choose)
    return project, msgspec.structs.replace(selection, notes=notes)


def _compile_several(
    request: CampaignRequest, run: Runner, progress: Progress
) -> tuple[Project, tuple[Selection, ...]]:
    keys = request.configuration

    def choose(project: Project) -> tuple[Selection, ...]:
        return choose_contracts(project, keys.contracts, keys.prefix, mode=keys.test_mode)

    project, (first, *others), notes = _compiled(request, run, progress, choose)
    return project, (msgspec.structs.replace(first, notes=notes), *others)


def _compiled(
    request: CampaignRequest, run: Runner, progress: Progress, choose: Callable[[Project], Chosen]
) -> tuple[Project, Chosen, tuple[str, ...]]:
    """The project, what was chosen of it, and what the compilation has to say."""
    notes: list[str] = []
    try:
        project = compile_targets(
            request.paths, request.compile_options(), run=run, progress=progress, say=notes.append
        )
        chosen = choose(project)
    except SimulatorError as error:
        for note in notes:
            error.add_note(note)
        raise
    excluded = excluded_sources(project, request.configuration.exclude)
    return without_constants_of(project, excluded), chosen, tuple(dict.fromkeys(notes))


def unreported_sources(project: Project, configuration: Configuration) -> tuple[str, ...]:
    """Globs of the sources that coverage reports leave out."""
    excluded = excluded_sources(project, configuration.exclude)
    return (*configuration.coverage_excludes, *map(glob.escape, excluded))


def runner_port(runner: ProcessRunner) -> RunnerPort:
    """The compiler's port to the process runner, for use in a thread that trio started."""
    return RunnerPort(runner)


class RunnerPort:
    """Runs compilers under a process runner: blocks until processes have ended, and raises `trio.Cancelled` when the
    thread's caller is cancelled."""

    def __init__(self, runner: ProcessRunner) -> None:
        self._runner = runner

    def __call__(self, argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float) -> ProcessResult:
        return self._one(Job(tuple(argv), stdin, cwd, timeout))

    def with_environment(
        self, argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float, environment: Mapping[str, str]
    ) -> ProcessResult:
        """The same with exactly these variables."""
        return self._one(Job(tuple(argv), stdin, cwd, timeout, environment))

    def run_all(self, jobs: Sequence[Job], ended: Callable[[int], None]) -> list[ProcessResult | ProcessError]:
        """Run all jobs and return the result of each; as many run at a time as there are cores."""
        return trio.from_thread.run(self._all, jobs, ended)

    def _one(self, job: Job) -> ProcessResult:
        result = trio.from_thread.run(self._run, job)
        if isinstance(result, ProcessError):
            raise result
        return result

    async def _all(self, jobs: Sequence[Job], ended: Callable[[int], None]) -> list[ProcessResult | ProcessError]:
        turns = trio.CapacityLimiter(min(default_workers(available_cores()), MAX_COMPILERS))
        results: dict[int, ProcessResult | ProcessError] = {}

        async def perform(position: int) -> None:
            async with turns:
                results[position] = await self._run(jobs[position])
            ended(position)

        async with trio.open_nursery() as nursery:
            for position in range(len(jobs)):
                nursery.start_soon(perform, position)
        return [results[position] for position in range(len(jobs))]

    async def _run(self, job: Job) -> ProcessResult | ProcessError:
        try:
            result = await self._runner.run(
                job.argv,
                stdin=job.stdin,
                folder=job.cwd,
                seconds=job.timeout,
                tool=COMPILATION,
                output=MAX_OUTPUT,
                environment=job.environment,
            )
        except (ProcessNotStarted, ProcessLimitExceeded) as error:
            return ProcessError(str(error))
        return ProcessResult(result.returncode, result.stdout, result.stderr)


def _progress_port(tell: Progress) -> Progress:
    def progress(text: str) -> None:
        if not trio.lowlevel.in_trio_run():
            trio.from_thread.check_cancelled()
        tell(text)

    return progress
