"""Tools on runs, whichever tool started them: raw output, line ranges, status, cancel, list."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

import trio
from pydantic import Field

from actors.errors import RunNotFound
from actors.process_runner import ProcessRunner
from actors.processes.log_lines import LogLine
from actors.processes.run_log import RunLog
from actors.processes.run_meta import RunMeta
from actors.timestamps import rfc3339
from tools.builds import schemas
from tools.builds.arguments import LONGEST_WAIT, RunId
from tools.builds.plugin_tool import wait_for
from tools.builds.responses import finished, parsed_form, running
from tools.builds.text import LONGEST_TEXT, text_of
from tools.errors import ErrorCode, ToolError
from tools.tool import Annotations, Answer, Deadline, Family, JsonObject, Scope, Tool, ToolInput

MOST_BYTES = 65_536
MOST_LINES = 500
_REPLACEMENT_BYTES = 3


class RawInput(ToolInput):
    run_id: RunId
    offset: Annotated[int, Field(ge=0, description="First byte.")] = 0
    length: Annotated[int, Field(ge=1, le=MOST_BYTES, description="Most bytes to return.")] = 4_096


class LogRangeInput(ToolInput):
    run_id: RunId
    start_line: Annotated[int, Field(alias="startLine", description="First line; below 1 means 1.")]
    line_count: Annotated[int, Field(alias="lineCount", ge=1, le=MOST_LINES)] = 50


class StatusInput(ToolInput):
    run_id: RunId
    wait_seconds: Annotated[float, Field(alias="waitSeconds", ge=0, le=LONGEST_WAIT)] = 0


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


async def run_raw(runner: ProcessRunner, inputs: RawInput) -> Answer:
    """Bytes of a log as text. `length` is the bytes that were taken: a character that the page would cut is left to
    the next one, so that pages put together are the log (decision D11)."""
    log = await _log(runner, inputs.run_id)
    data = await trio.to_thread.run_sync(log.read, inputs.offset, inputs.length + _REPLACEMENT_BYTES)
    total = log.total_bytes()
    taken = _whole_characters(data, inputs.length)
    end = inputs.offset + len(taken)
    return Answer(
        {
            "data": taken.decode("utf-8", errors="replace"),
            "offset": inputs.offset,
            "length": len(taken),
            "totalBytes": total,
            "hasMore": end < total,
        }
    )


def _whole_characters(data: bytes, length: int) -> bytes:
    """At most `length` bytes of `data` that end between two characters, at least one byte where there is one. `data`
    reaches three bytes further where the log does."""
    if len(data) <= length:
        return data
    for end in range(length, max(0, length - 4), -1):
        if data[end] & 0xC0 != 0x80:
            return data[:end]
    return data[:length]


async def run_log_range(runner: ProcessRunner, inputs: LogRangeInput) -> Answer:
    """Lines of a log as plain text, at most 64 KiB of it; a start below 1 is 1 (decision D8)."""
    log = await _log(runner, inputs.run_id)
    start = max(1, inputs.start_line)
    page = await trio.to_thread.run_sync(log.page, start, inputs.line_count)
    lines: list[str] = []
    size = 0
    for line in page.lines:
        text = _shown(line)
        size += len(text.encode()) + 1
        if lines and size > MOST_BYTES:
            break
        lines.append(text)
    end = start + len(lines) - 1
    return Answer(
        {
            "lines": lines,
            "startLine": start,
            "endLine": end,
            "totalLines": page.total_lines,
            "hasMore": end < page.total_lines,
        }
    )


def _shown(line: LogLine) -> str:
    text = text_of(line)
    cut = line.end - line.start > LONGEST_TEXT and len(text) == LONGEST_TEXT
    return f"{text}… [line of {line.end - line.start} bytes]" if cut else text


async def run_status(runner: ProcessRunner, inputs: StatusInput) -> Answer:
    """Everything about a run; what was found in its output once it is over."""
    meta = await _run(runner, inputs.run_id)
    if meta.state.is_open and inputs.wait_seconds:
        meta = await wait_for(runner, meta, inputs.wait_seconds)
    if meta.state.is_open:
        log = await _log(runner, inputs.run_id)
        lines, size = await trio.to_thread.run_sync(_totals, log)
        answer = {**running(meta.run_id), **_meta(meta), "totalLines": lines, "totalBytes": size}
    else:
        answer = {**finished(meta, parsed_form(await runner.diagnostics(meta.run_id))), **_meta(meta)}
    return Answer({**answer, "status": str(meta.state)})


def _totals(log: RunLog) -> tuple[int, int]:
    return log.total_lines(), log.total_bytes()


async def run_cancel(runner: ProcessRunner, inputs: CancelInput) -> Answer:
    """End a run with all its processes. `cancelled` is false for one that is over, or that another server runs."""
    meta = await _run(runner, inputs.run_id)
    cancelled = meta.state.is_open and runner.cancel(inputs.run_id)
    if cancelled:
        meta = await runner.wait(inputs.run_id, LONGEST_WAIT)
    return Answer({"runId": meta.run_id, "cancelled": cancelled, "status": str(meta.state)})


async def run_list(runner: ProcessRunner, inputs: ListInput) -> Answer:
    """Runs, newest first; `total` counts those that match."""
    runs = [
        meta
        for meta in await runner.runs()
        if inputs.tool in (None, meta.tool, meta.tool.replace(".", "_")) and inputs.status in (None, str(meta.state))
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


async def _run(runner: ProcessRunner, run_id: str) -> RunMeta:
    try:
        return await runner.get(run_id)
    except RunNotFound as error:
        raise _not_found(error) from error


async def _log(runner: ProcessRunner, run_id: str) -> RunLog:
    try:
        return await runner.log(run_id)
    except RunNotFound as error:
        raise _not_found(error) from error


def _not_found(error: RunNotFound) -> ToolError:
    return ToolError(ErrorCode.INVALID_INPUT, str(error), reason="RUN_NOT_FOUND")


def run_tools(
    runner: ProcessRunner,
) -> tuple[Tool[RawInput] | Tool[LogRangeInput] | Tool[StatusInput] | Tool[CancelInput] | Tool[ListInput], ...]:
    """The five tools, over one runner."""
    return (
        Tool(
            name="run_raw",
            aliases=("run.raw",),
            family=Family.BUILDS,
            description="Raw output of a run by byte offset, also while it runs. Only when diagnostics are not enough.",
            arguments=RawInput,
            call=partial(run_raw, runner),
            deadline=Deadline.CAMPAIGN,
            annotations=_reads("Raw output of a run"),
            output_schema=schemas.RUN_RAW,
        ),
        Tool(
            name="run_logRange",
            aliases=("run.logRange",),
            family=Family.BUILDS,
            description="Lines of a run's output, such as those around a diagnostic's logRange, also while it runs.",
            arguments=LogRangeInput,
            call=partial(run_log_range, runner),
            deadline=Deadline.CAMPAIGN,
            annotations=_reads("Lines of a run's output"),
            output_schema=schemas.RUN_LOG_RANGE,
        ),
        Tool(
            name="run_status",
            aliases=("run.status",),
            family=Family.BUILDS,
            description="Status of a run and, once it is over, its diagnostics. waitSeconds waits for the end.",
            arguments=StatusInput,
            call=partial(run_status, runner),
            deadline=Deadline.PROCESS,
            annotations=_reads("Status of a run"),
            output_schema=schemas.RUN_STATUS,
        ),
        Tool(
            name="run_cancel",
            aliases=("run.cancel",),
            family=Family.BUILDS,
            description="Stop a queued or running run with all its processes.",
            arguments=CancelInput,
            call=partial(run_cancel, runner),
            deadline=Deadline.PROCESS,
            annotations=Annotations(title="Cancel a run", read_only=False, destructive=True, idempotent=True),
            output_schema=schemas.RUN_CANCEL,
            scope=Scope.CONTROL,
        ),
        Tool(
            name="run_list",
            aliases=("run.list",),
            family=Family.BUILDS,
            description="Runs of the last 14 days, newest first: builds, tests, and what campaigns compiled.",
            arguments=ListInput,
            call=partial(run_list, runner),
            deadline=Deadline.ANALYSIS,
            annotations=_reads("List of runs"),
            output_schema=schemas.RUN_LIST,
        ),
    )


def _reads(title: str) -> Annotations:
    return Annotations(title=title, read_only=True, destructive=False, idempotent=True)
