"""A run, its log and its findings by id, or the error of contract 003."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import trio

from actors.errors import RunNotFound
from actors.process_runner import ProcessRunner
from actors.processes.run_log import RunLog
from actors.processes.run_meta import RunMeta
from tools.builds.diagnostics import Parsed
from tools.builds.responses import parsed_form
from tools.errors import ErrorCode, ToolError

Result = TypeVar("Result")


async def find_run(runner: ProcessRunner, run_id: str) -> RunMeta:
    """Raises `ToolError` with the reason RUN_NOT_FOUND."""
    try:
        return await runner.get(run_id)
    except RunNotFound as error:
        raise _not_found(error) from error


async def find_log(runner: ProcessRunner, run_id: str) -> RunLog:
    """Raises `ToolError` with the reason RUN_NOT_FOUND."""
    try:
        return await runner.log(run_id)
    except RunNotFound as error:
        raise _not_found(error) from error


async def find_findings(runner: ProcessRunner, run_id: str) -> Parsed:
    """What was found in the output of a run; nothing where its folder is gone or damaged."""
    try:
        return parsed_form(await runner.diagnostics(run_id))
    except RunNotFound:
        return Parsed()


async def read_log(read: Callable[[], Result]) -> Result:
    """What a function reads from a log, in a thread. Raises `ToolError` with the reason STORAGE where the log
    cannot be read, such as one that is gone."""
    try:
        return await trio.to_thread.run_sync(read)
    except OSError as error:
        said = f"The run's log cannot be read: {error.strerror or error}"
        raise ToolError(ErrorCode.INTERNAL_ERROR, said, reason="STORAGE") from error


def _not_found(error: RunNotFound) -> ToolError:
    return ToolError(ErrorCode.INVALID_INPUT, str(error), reason="RUN_NOT_FOUND")
