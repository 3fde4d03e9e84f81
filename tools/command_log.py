"""`mcp-commands.jsonl`: every control command, on disk before it takes effect, its result on disk before the answer.

One JSON object a line: `timestamp`, `tool`, `args`, `result`, and `message` for failures. A line is written with the
result `started`, then gets its last word: `success`, `failure`, `timeout`, or `dropped` for a caller that went away.
All have seven letters, so that a result is replaced in place; a line that still says `started` tells of a program that
was killed in the midst of the command. Commands take turns, so their order in the file is that of their effects.

A command that steered gets `calls` besides: how many calls the campaign had made when it took effect, `null` until that
is known (workers act a moment after the answer) and where nobody can know. The number is written in place, too.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import structlog
import trio

from actors.steering_effects import Effect
from tools.errors import ToolError
from tools.rendering import compact_json

COMMANDS_FILE = "mcp-commands.jsonl"
LONGEST_ARGUMENTS = 1 << 18
KEPT = 1_000

CommandResult = Literal["started", "success", "failure", "timeout", "dropped"]
LAST_EFFECTS_SECONDS = 1.0
_CALLS_KEY, _CALLS_WIDTH, _LINE_END = b',"calls":', 20, b"}\n"
_logger = structlog.get_logger(__name__)


@dataclass(slots=True)
class CommandEntry:
    """One command while it is carried out. `place` is the offset of its line in the log's file number `file`,
    `length` the line's, in bytes; 0 while it is in memory only. `effects` are what it did to the campaign, `has_calls`
    tells that the line has a place for their calls.
    """

    timestamp: str
    tool: str
    arguments: Mapping[str, object]
    result: CommandResult = "started"
    message: str = ""
    place: int = 0
    length: int = 0
    file: int = 0
    effects: list[Effect] = field(default_factory=list)
    has_calls: bool = False

    def line(self) -> bytes:
        body: dict[str, object] = {"timestamp": self.timestamp, "tool": self.tool}
        body |= {"args": self.arguments, "result": self.result}
        if self.message:
            body["message"] = self.message
        line = compact_json(body).encode("utf-8", "replace")
        return line[:-1] + _CALLS_KEY + self.calls() + _LINE_END if self.effects else line + b"\n"

    def calls(self) -> bytes:
        """The value behind the key `calls`, always of the same length."""
        known = [effect.calls for effect in self.effects]
        number = "null" if None in known else str(max((calls for calls in known if calls is not None), default=0))
        return number.rjust(_CALLS_WIDTH).encode()


_entry: ContextVar[CommandEntry | None] = ContextVar("command", default=None)


def note_effect() -> Effect:
    """An effect of the command that this task carries out, to be given to the campaign along with it."""
    effect = Effect()
    if (entry := _entry.get()) is not None:
        entry.effects.append(effect)
    return effect


class CommandLog:
    """The log of one server, in memory and, while a campaign with a corpus folder runs, in its file.

    `wall_clock` gives Unix seconds. A file that cannot be written costs the file, not the command."""

    def __init__(self, wall_clock: Callable[[], float]) -> None:
        self._wall_clock = wall_clock
        self._turn = trio.Lock()
        self._writing = trio.Lock()
        self._file: int | None = None
        self._files = 0
        self._end = 0
        self._newest: deque[CommandEntry] = deque(maxlen=KEPT)
        self._tasks: trio.Nursery | None = None

    @property
    def newest(self) -> tuple[CommandEntry, ...]:
        """Up to `KEPT` commands, oldest first."""
        return tuple(self._newest)

    @asynccontextmanager
    async def writing_to(self, folder: Path | None) -> AsyncIterator[None]:
        """Within the block commands are appended to the file in this folder, those since the last file first, such as
        the one that began the campaign. None keeps them in memory only."""
        if folder is None:
            yield
            return
        async with self._writing:
            self._file, self._end = await trio.to_thread.run_sync(_open, folder / COMMANDS_FILE)
            self._files += 1
            for entry in self._newest:
                await self._append(entry)
        try:
            async with trio.open_nursery() as self._tasks:
                yield
                # Effects are known at the end of the campaign at the latest.
                self._tasks.cancel_scope.deadline = trio.current_time() + LAST_EFFECTS_SECONDS
        finally:
            self._tasks = None
            with trio.CancelScope(shield=True):
                async with self._writing:
                    if self._file is not None:
                        await trio.to_thread.run_sync(os.close, self._file)
                    self._file = None

    @asynccontextmanager
    async def command(
        self, tool: str, arguments: Mapping[str, object], *, deadline: float = math.inf, in_turn: bool = True
    ) -> AsyncIterator[CommandEntry]:
        """Record a command, then let the block carry it out; at the end of the block its result is recorded.

        The result is `failure` when the block raises; when it is cancelled, `timeout` at or after `deadline` (of
        trio's clock) and `dropped` before. `in_turn` makes it wait for the commands before it and holds back those
        after it.
        """
        async with self._turn if in_turn else nullcontext():
            entry = await self._begin(tool, arguments, "started")
            token = _entry.set(entry)
            try:
                yield entry
                entry.result = "success" if entry.result == "started" else entry.result
            except Exception as error:  # whatever went wrong, the log says so; nothing is held back
                entry.result, entry.message = "failure", _message(error)
                raise
            except BaseException:
                entry.result = "timeout" if trio.current_time() >= deadline else "dropped"
                raise
            finally:
                _entry.reset(token)
                with trio.CancelScope(shield=True):
                    await self._end_line(entry)
                if self._tasks is not None and entry.effects:
                    self._tasks.start_soon(self._amend, entry)

    async def refused(self, tool: str, arguments: Mapping[str, object], message: str) -> None:
        """Record a command that was refused before it began."""
        with trio.CancelScope(shield=True):
            await self._begin(tool, arguments, "failure", message)

    async def _begin(
        self, tool: str, arguments: Mapping[str, object], result: CommandResult, message: str = ""
    ) -> CommandEntry:
        timestamp = rfc3339(self._wall_clock())
        entry = CommandEntry(timestamp, tool, _bounded(arguments), result, message)
        async with self._writing:
            self._newest.append(entry)
            await self._append(entry)
        return entry

    async def _append(self, entry: CommandEntry) -> None:
        """Unless it is in a file already, or there is none."""
        if self._file is None or entry.length:
            return
        line = entry.line()
        entry.place, entry.length, entry.file = self._end, len(line), self._files
        self._end += len(line)
        await self._write(line, entry.place)

    async def _end_line(self, entry: CommandEntry) -> None:
        """The last line is written anew, with its message; in an earlier one the result alone is replaced."""
        line = entry.line()
        async with self._writing:
            if not entry.length or entry.file != self._files:
                return
            if entry.place + entry.length == self._end:
                # Never shorter than before, as the result keeps its length and a message is only added.
                await self._write(line, entry.place)
                entry.length, self._end = len(line), entry.place + len(line)
                entry.has_calls = bool(entry.effects)
            else:
                head = line.index(b'"result":"', line.index(_encoded_arguments(entry))) + len(b'"result":"')
                await self._write(entry.result.encode(), entry.place + head)

    async def _amend(self, entry: CommandEntry) -> None:
        """Write at which call the command took effect, once that is known."""
        for effect in entry.effects:
            await effect.settled()
        async with self._writing:
            if entry.has_calls and entry.file == self._files:
                await self._write(entry.calls(), entry.place + entry.length - _CALLS_WIDTH - len(_LINE_END))

    async def _write(self, data: bytes, place: int) -> None:
        if self._file is None:
            return
        try:
            await trio.to_thread.run_sync(_write_all, self._file, data, place)
        except OSError as error:
            _logger.warning("commands are kept in memory only", reason=error.strerror or str(error))
            self._file = None


def rfc3339(seconds: float) -> str:
    """Unix seconds as RFC 3339 in UTC with milliseconds: `2025-12-20T10:35:12.000Z`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _encoded_arguments(entry: CommandEntry) -> bytes:
    return b'"args":' + compact_json(entry.arguments).encode("utf-8", "replace")


def _message(error: Exception) -> str:
    return error.message if isinstance(error, ToolError) else type(error).__name__


def _bounded(arguments: Mapping[str, object]) -> Mapping[str, object]:
    """Arguments that were refused may have any size, and numbers that JSON does not have."""
    try:
        size = len(compact_json(arguments))
    except ValueError:
        return {"omitted": "no JSON"}
    return arguments if size <= LONGEST_ARGUMENTS else {"omitted": f"{size} characters of JSON"}


def _open(path: Path) -> tuple[int, int]:
    """The file and where to go on; a last line that was cut short by a crash stays a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    end = os.fstat(file).st_size
    if end and os.pread(file, 1, end - 1) != b"\n":
        end += os.pwrite(file, b"\n", end)
    return file, end


def _write_all(file: int, data: bytes, place: int) -> None:
    while data:
        written = os.pwrite(file, data, place)
        data, place = data[written:], place + written
