"""`run_status`, `run_cancel` and `run_list`."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from actors.processes.run_log import RunLog
from actors.processes.run_meta import RunMeta
from actors.processes.runner import ProcessRunner
from actors.runtime.timestamps import rfc3339
from tools.builds.arguments import MAX_WAIT, Compact, RunId
from tools.builds.context import BuildContext
from tools.builds.plugin_tool import wait_for
from tools.builds.responses import finished, running
from tools.builds.run_lookup import find_findings, find_log, find_run, read_log
from tools.tool import Answer, JsonObject, ToolInput


class StatusInput(ToolInput):
    run_id: RunId
    wait_seconds: Annotated[float, Field(alias="waitSeconds", ge=0, le=MAX_WAIT)] = 0
    compact: Compact = None


class CancelInput(ToolInput):
    run_id: RunId


class ListInput(ToolInput):
    tool: Annotated[str | None, Field(max_length=100, description="Only runs of this tool, such as forge.build.")] = (
        None
    )
    status: Annotated[
        Literal[
            "queued", "running", "completed", "not_started", "cancelled", "timed_out", "output_limit", "memory_limit",
            "storage_failed", "interrupted",
        ] | None,
        Field(description="Only runs of this status."),
    ] = None  # fmt: skip
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    all_projects: Annotated[
        bool, Field(alias="allProjects", description="Also runs outside of this server's folders.")
    ] = False


async def run_status(context: BuildContext, inputs: StatusInput) -> Answer:
    """Everything about a run; what was found in its output once it is over."""
    runner = context.runner
    meta = await find_run(runner, inputs.run_id)
    if meta.state.is_open and inputs.wait_seconds:
        meta = await wait_for(runner, meta, inputs.wait_seconds)
    if meta.state.is_open:
        log = await find_log(runner, inputs.run_id)
        lines, size = await read_log(partial(_totals, log))
        answer = {**running(meta.run_id), **_meta(meta), "totalLines": lines, "totalBytes": size}
    else:
        parsed = await find_findings(runner, meta.run_id)
        answer = {**finished(meta, parsed, context.form(inputs.compact)), **_meta(meta)}
    return Answer({**answer, "status": str(meta.state)})


def _totals(log: RunLog) -> tuple[int, int]:
    return log.total_lines(), log.total_bytes()


async def run_cancel(runner: ProcessRunner, inputs: CancelInput) -> Answer:
    """End a run with all its processes. `cancelled` is false for one that is over, or that another server runs."""
    meta = await find_run(runner, inputs.run_id)
    cancelled = meta.state.is_open and runner.cancel(inputs.run_id)
    if cancelled:
        meta = await runner.wait(inputs.run_id, MAX_WAIT)
    return Answer({"runId": meta.run_id, "cancelled": cancelled, "status": str(meta.state)})


async def run_list(context: BuildContext, inputs: ListInput) -> Answer:
    """Runs in this server's folders, newest first; `total` counts those that match."""
    runs = [
        meta
        for meta in await context.runner.runs()
        if inputs.tool in (None, meta.tool, meta.tool.replace(".", "_"))
        and inputs.status in (None, str(meta.state))
        and (inputs.all_projects or context.holds(meta.cwd))
    ]
    shown = [{"runId": meta.run_id, "status": str(meta.state), **_meta(meta)} for meta in runs[: inputs.limit]]
    return Answer({"runs": shown, "total": len(runs)})


def _meta(meta: RunMeta) -> JsonObject:
    return {
        "tool": meta.tool,
        "queuedAt": rfc3339(meta.queued_at),
        "startedAt": _time(meta.started_at),
        "completedAt": _time(meta.completed_at),
        "exitCode": meta.exit_code,
        "cwd": meta.cwd,
        "command": list(meta.command),
        "totalLines": meta.total_lines,
        "totalBytes": meta.total_bytes,
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else rfc3339(seconds)
