"""A run, its log and its findings by id, or the published error of the `builds` family."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import trio

from actors.processes.run_log import RunLog
from actors.processes.run_meta import RunMeta
from actors.processes.runner import ProcessRunner
from actors.runtime.errors import RunNotFound
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
    """Diagnostics in the output of a run; none if its folder is missing or damaged."""
    try:
        return parsed_form(await runner.diagnostics(run_id))
    except RunNotFound:
        return Parsed()


async def read_log(read: Callable[[], Result]) -> Result:
    """Result of reading a log in a thread. Raises `ToolError` with the reason STORAGE where the log
    cannot be read, such as one that is gone."""
    try:
        return await trio.to_thread.run_sync(read)
    except OSError as error:
        said = f"The run's log cannot be read: {error.strerror or error}"
        raise ToolError(ErrorCode.INTERNAL_ERROR, said, reason="STORAGE") from error


def _not_found(error: RunNotFound) -> ToolError:
    return ToolError(ErrorCode.INVALID_INPUT, str(error), reason="RUN_NOT_FOUND")
