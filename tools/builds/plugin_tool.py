"""From a plugin to a tool: check, hand over to the process runner, wait a while, answer."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import structlog
import trio

from actors.processes.executables import find_executable
from actors.processes.live_run import FinishedRun
from actors.processes.run_meta import RunMeta
from actors.processes.runner import ProcessRunner, RunRequest
from actors.runtime.errors import ExecutableForbidden, ExecutableMissing, RunnerBusy, StorageFailed
from simulator.policy import ROOTS_VARIABLE
from tools.builds import schemas
from tools.builds.arguments import BuildInput, InstallInput, check_arguments, working_folder
from tools.builds.context import BuildContext
from tools.builds.diagnostics import Parsed
from tools.builds.plugin import Output, Plugin
from tools.builds.responses import Form, finished, running, stored_form, without_run
from tools.builds.run_lookup import find_findings
from tools.errors import ErrorCode, ToolError
from tools.progress import report_progress
from tools.publishing import acting
from tools.tool import Answer, Deadline, Family, JsonObject, Tool

PROGRESS_SECONDS = 2.0
UNCONFIRMED = "Operation cancelled: confirmation required"
_logger = structlog.get_logger(__name__)


def tool_of(plugin: Plugin, context: BuildContext) -> Tool[BuildInput]:
    """The published tool of a plugin."""
    return acting(
        plugin.published_name,
        plugin.description,
        (InstallInput, schemas.INSTALL) if plugin.mutates else (BuildInput, schemas.BUILD),
        partial(_call, plugin, context),
        family=Family.BUILDS,
        title=plugin.title,
        deadline=Deadline.PROCESS,
        aliases=(plugin.name,),
        destructive=plugin.mutates,
        idempotent=not plugin.mutates,
        open_world=plugin.network,
    )


async def _call(plugin: Plugin, context: BuildContext, inputs: BuildInput) -> Answer:
    form = context.form(inputs.compact)
    folder = working_folder(inputs.cwd, context.roots, context.here)
    check_arguments(plugin, inputs.args, context.roots, folder)
    if isinstance(inputs, InstallInput) and not inputs.confirmed:
        return Answer(_confirmation(plugin, inputs.args, folder, form))
    try:
        request = _request(plugin, context, inputs, folder)
    except ExecutableMissing as error:
        return Answer(without_run(plugin.name, "COMMAND_NOT_FOUND", str(error), form))
    except ExecutableForbidden as error:
        return Answer(without_run(plugin.name, "PERMISSION_DENIED", str(error), form))
    run = _started(context.runner, request)
    meta = await wait_for(context.runner, run, inputs.wait_seconds)
    if meta.state.is_open:
        return Answer(running(meta.run_id))
    return Answer(finished(meta, await find_findings(context.runner, meta.run_id), form))


def _confirmation(plugin: Plugin, args: tuple[str, ...], folder: Path, form: Form) -> JsonObject:
    """Asks for a second call with `confirmed: true` (decision D4)."""
    asked = {"confirmation_required": True, "tool": plugin.name, "args": list(args), "cwd": str(folder)}
    return {**without_run(plugin.name, "PERMISSION_DENIED", UNCONFIRMED, form), **asked}


def _request(plugin: Plugin, context: BuildContext, inputs: BuildInput, folder: Path) -> RunRequest:
    path = context.search_path(folder)
    return RunRequest(
        tool=plugin.name,
        argv=(*_program(plugin, path, context.roots), *plugin.argv(inputs.args)),
        folder=folder,
        environment={
            **context.environment,
            **plugin.environment,
            "PATH": path,
            ROOTS_VARIABLE: os.pathsep.join(map(str, context.roots)),
        },
        seconds=inputs.timeout_seconds,
        separate=plugin.separate,
        conclude=partial(_conclude, plugin),
    )


def _program(plugin: Plugin, path: str, roots: tuple[Path, ...]) -> tuple[str, ...]:
    try:
        return (str(find_executable(plugin.program, path, roots)),)
    except ExecutableMissing:
        if plugin.stand_in:
            return plugin.stand_in
        raise


def _conclude(plugin: Plugin, run: FinishedRun) -> bytes:
    try:
        return stored_form(plugin.parse(Output.of(run)))
    except (
        Exception
    ) as error:  # the boundary to parsers: output is untrusted, and a run without diagnostics is an answer
        _logger.exception("a build parser failed", tool=plugin.name, error=repr(error))
        return stored_form(Parsed())


def _started(runner: ProcessRunner, request: RunRequest) -> RunMeta:
    try:
        return runner.start(request)
    except RunnerBusy as error:
        raise ToolError(ErrorCode.EXECUTION_TIMEOUT, str(error), reason="BUSY") from error
    except StorageFailed as error:
        raise ToolError(ErrorCode.INTERNAL_ERROR, str(error), reason="STORAGE") from error


async def wait_for(runner: ProcessRunner, run: RunMeta, seconds: float) -> RunMeta:
    """The run when it is over or `seconds` have passed; reports progress meanwhile."""
    began = trio.current_time()
    meta = run
    while meta.state.is_open and (left := began + seconds - trio.current_time()) > 0:
        passed = seconds - left
        await report_progress(passed, f"{run.tool}: {meta.state}, {passed:.0f} s")
        meta = await runner.wait(run.run_id, min(PROGRESS_SECONDS, left))
    return meta
