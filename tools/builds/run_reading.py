"""`run_raw` and `run_logRange`: the log of a run by byte and by line."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field

from actors.processes.log_lines import LogLine
from actors.processes.run_log import RunLog
from actors.processes.runner import ProcessRunner
from tools.builds.arguments import RunId
from tools.builds.run_lookup import find_log, read_log
from tools.builds.text import MAX_TEXT_LENGTH, text_of
from tools.tool import Answer, ToolInput

MAX_BYTES = 65_536
MAX_LINES = 500
_REPLACEMENT_BYTES = 3


class RawInput(ToolInput):
    run_id: RunId
    offset: Annotated[int, Field(ge=0, description="First byte.")] = 0
    length: Annotated[int, Field(ge=1, le=MAX_BYTES, description="Most bytes to return.")] = 4_096


class LogRangeInput(ToolInput):
    run_id: RunId
    start_line: Annotated[int, Field(alias="startLine", description="First line; below 1 means 1.")]
    line_count: Annotated[int, Field(alias="lineCount", ge=1, le=MAX_LINES)] = 50


async def run_raw(runner: ProcessRunner, inputs: RawInput) -> Answer:
    """Bytes of a log as text. `length` is the bytes that were taken: a character that the page would cut is left to
    the next one, so that pages put together are the log (decision D11)."""
    log = await find_log(runner, inputs.run_id)
    data, total = await read_log(partial(_bytes_and_total, log, inputs.offset, inputs.length + _REPLACEMENT_BYTES))
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


def _bytes_and_total(log: RunLog, offset: int, length: int) -> tuple[bytes, int]:
    return log.read(offset, length), log.total_bytes()


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
    log = await find_log(runner, inputs.run_id)
    start = max(1, inputs.start_line)
    page = await read_log(partial(log.page, start, inputs.line_count))
    lines: list[str] = []
    size = 0
    for line in page.lines:
        text = _shown(line)
        size += len(text.encode()) + 1
        if lines and size > MAX_BYTES:
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
    cut = line.end - line.start > MAX_TEXT_LENGTH and len(text) == MAX_TEXT_LENGTH
    return f"{text}… [line of {line.end - line.start} bytes]" if cut else text
