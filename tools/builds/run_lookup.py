"""A run or its log by id, or the error of contract 003."""

from __future__ import annotations

from actors.errors import RunNotFound
from actors.process_runner import ProcessRunner
from actors.processes.run_log import RunLog
from actors.processes.run_meta import RunMeta
from tools.errors import ErrorCode, ToolError


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


def _not_found(error: RunNotFound) -> ToolError:
    return ToolError(ErrorCode.INVALID_INPUT, str(error), reason="RUN_NOT_FOUND")
