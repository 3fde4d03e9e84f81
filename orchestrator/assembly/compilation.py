"""Compilation as a campaign's first phase: in a thread, its compilers under the process runner, cancellable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import trio

from actors.processes.runner import ProcessRunner
from actors.runtime.errors import ProcessLimitExceeded, ProcessNotStarted
from orchestrator.configuration.request import CampaignRequest
from simulator.compile import (
    ProcessError,
    ProcessResult,
    Runner,
    Selection,
    choose_contract,
    compile_targets,
)
from simulator.compile.solc.runner import MAX_OUTPUT
from simulator.project import Project

Progress = Callable[[str], None]


COMPILATION = "campaign.compile"


async def compile_request(
    request: CampaignRequest, tell: Progress, runner: ProcessRunner | None = None
) -> tuple[Project, Selection]:
    """Compile what the request points at and choose the contract. `tell` gets a few words on what takes time. With a
    `runner` that keeps its runs, compilers are among them.

    Raises `CompileError`s with their diagnostics and `TargetError`. Cancelling ends compilers and the thread.
    """
    run = runner_port(runner or ProcessRunner())
    return await trio.to_thread.run_sync(partial(_compile, request, run, _progress_port(tell)))


def _compile(request: CampaignRequest, run: Runner, progress: Progress) -> tuple[Project, Selection]:
    project = compile_targets(request.paths, request.compile_options(), run=run, progress=progress)
    return project, choose_contract(project, request.contract, request.configuration.prefix)


def runner_port(runner: ProcessRunner) -> Runner:
    """The compiler's port to the process runner, for use in a thread that trio started: blocks until the process has
    ended, and raises `trio.Cancelled` when the thread's caller is cancelled."""

    def run(argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float) -> ProcessResult:
        try:
            command = partial(
                runner.run, argv, stdin=stdin, folder=cwd, seconds=timeout, tool=COMPILATION, output=MAX_OUTPUT
            )
            result = trio.from_thread.run(command)
        except (ProcessNotStarted, ProcessLimitExceeded) as error:
            raise ProcessError(str(error)) from error
        return ProcessResult(result.returncode, result.stdout, result.stderr)

    return run


def _progress_port(tell: Progress) -> Progress:
    def progress(text: str) -> None:
        trio.from_thread.check_cancelled()
        tell(text)

    return progress
