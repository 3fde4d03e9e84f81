"""Reading `mcp-commands.jsonl`: what was commanded, in order, and what of it is worth doing again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from orchestrator.replay.errors import CommandLogError

MAX_FILE_BYTES = 256 << 20
ALLOWED = (
    'a line is {"timestamp": "...Z", "tool": "...", "args": {...}, "result": "success|failure|timeout|dropped|started"}'
    ', with "calls", "caller" and "message" where there are any'
)
WITHOUT_EFFECT = {
    "start_campaign": "the command line of the replay says what is fuzzed",
    "restart_campaign": "the campaign that it began has a log of its own",
    "pause_campaign": "a pause changes nothing of what is executed",
    "resume_campaign": "a pause changes nothing of what is executed",
    "reload_corpus": "it depends on files of the recorded campaign",
    "check_target": "it only deploys",
    "execute_sequence": "it leaves no trace in a campaign",
}


class _Line(msgspec.Struct, frozen=True):
    timestamp: str
    tool: str
    args: dict[str, Any]
    result: Literal["started", "success", "failure", "timeout", "dropped"]
    calls: int | None = None
    message: str = ""
    caller: str = ""


class RecordedCommand(msgspec.Struct, frozen=True):
    """One line. It is applied when the campaign has made `calls` calls; `skipped` says why it is not applied at all,
    empty where it is. `is_moved` where the line itself names an earlier call than a line before it."""

    line: int
    timestamp: str
    tool: str
    args: dict[str, Any]
    calls: int
    skipped: str = ""
    is_moved: bool = False


def read_commands(path: Path) -> tuple[RecordedCommand, ...]:
    """The commands in the order of the file. One without `calls` belongs where the one before it took effect, and none
    belongs before another that stands before it. A last line that a kill cut off is skipped and says so. Raises
    `CommandLogError` naming file and line, and for a file that cannot be read."""
    commands: list[RecordedCommand] = []
    for number, text, is_whole in _lines(path):
        before = commands[-1].calls if commands else 0
        try:
            line = msgspec.json.decode(text, type=_Line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if is_whole:
                raise CommandLogError(f"{path}:{number}: {error}; {ALLOWED}") from error
            commands.append(RecordedCommand(number, "", "?", {}, before, "the line was cut off"))
            continue
        if line.calls is not None and line.calls < 0:
            raise CommandLogError(f"{path}:{number}: calls must be 0 or more, not {line.calls}; {ALLOWED}")
        calls = max(before, line.calls or 0)
        is_moved = line.calls is not None and line.calls < before
        commands.append(RecordedCommand(number, line.timestamp, line.tool, line.args, calls, _why_not(line), is_moved))
    return tuple(commands)


def _why_not(line: _Line) -> str:
    if line.result != "success":
        reason = f": {line.message}" if line.message else ""
        return f"its result was {line.result}{reason}"
    return WITHOUT_EFFECT.get(line.tool, "")


def _lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """Number, text, and whether the line is complete; empty lines are passed over."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise CommandLogError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MAX_FILE_BYTES:
        raise CommandLogError(f"{path}: over {MAX_FILE_BYTES} bytes")
    lines = data.split(b"\n")
    for number, text in enumerate(lines, 1):
        if text.strip():
            yield number, text, number < len(lines)
