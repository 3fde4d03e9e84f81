"""`mcp-commands.jsonl`: every control command, on disk before it takes effect, its result on disk before the answer.

One JSON object a line: `timestamp`, `tool`, `args`, `result`, `caller` where there is one to name, and `message` for
failures. A line is written with the result `started`, then gets its last word: `success`, `failure`, `timeout`, or
`dropped` for a caller that went away. All have seven letters, so that a result is replaced in place; a line that still
says `started` belongs to a program that was killed in the midst of the command. Commands take turns, so their order in
the file is that of their effects.

A command that steered gets `calls` besides: how many calls the campaign had made when it took effect, `null` until that
is known (workers act a moment after the answer) and if it is unknown. The number is written in place, too.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

import trio

from actors.runtime.timestamps import rfc3339
from tools.caller import LOCAL, current_caller
from tools.command_entry import (
    MAX_ARGUMENTS_LENGTH,
    MAX_REFUSED_LENGTH,
    CommandEntry,
    CommandResult,
    bounded,
    carrying_out,
    without_secrets,
)
from tools.command_file import CommandFile
from tools.errors import ToolError

KEPT = 1_000
KEPT_CHARACTERS = 1 << 22
MAX_CALLER_LENGTH = 100
LAST_EFFECTS_SECONDS = 1.0


class CommandLog:
    """The log of one server, in memory and, while a campaign with a corpus folder runs, in its file. Commands to
    different campaigns do not wait for each other.

    `wall_clock` gives Unix seconds."""

    def __init__(self, wall_clock: Callable[[], float]) -> None:
        self._wall_clock = wall_clock
        self._turns: defaultdict[str, trio.Lock] = defaultdict(trio.Lock)
        self._writing = trio.Lock()
        self._files: dict[str, CommandFile] = {}
        self._newest: deque[CommandEntry] = deque()
        self._characters = 0
        self._tasks: dict[str, trio.Nursery] = {}

    @property
    def newest(self) -> tuple[CommandEntry, ...]:
        """Up to `KEPT` commands, with arguments of up to `KEPT_CHARACTERS` together; oldest first."""
        return tuple(self._newest)

    def of(self, campaign: str) -> tuple[CommandEntry, ...]:
        """As `newest`, without the commands to other campaigns than this."""
        return tuple(entry for entry in self._newest if entry.campaign in (campaign, ""))

    @asynccontextmanager
    async def writing_to(self, folder: Path | None, campaign: str = "") -> AsyncIterator[None]:
        """Within the block commands to this campaign are appended to the file in this folder, those since the last file
        first, such as the one that began the campaign. None keeps them in memory only."""
        if folder is None:
            yield
            return
        async with self._writing:
            file = self._files[campaign] = await trio.to_thread.run_sync(CommandFile, folder)
            for entry in self.of(campaign):
                await trio.to_thread.run_sync(file.append, entry)
        try:
            async with trio.open_nursery() as self._tasks[campaign]:
                yield
                # Effects are known at the end of the campaign at the latest.
                self._tasks[campaign].cancel_scope.deadline = trio.current_time() + LAST_EFFECTS_SECONDS
        finally:
            self._tasks.pop(campaign, None)
            with trio.CancelScope(shield=True):
                async with self._writing:
                    del self._files[campaign]
                    await trio.to_thread.run_sync(file.close)

    @asynccontextmanager
    async def command(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        deadline: float = math.inf,
        in_turn: bool = True,
        campaign: str = "",
    ) -> AsyncIterator[CommandEntry]:
        """Record a command, then let the block carry it out; at the end of the block its result is recorded.

        The result is `failure` when the block raises; when it is cancelled, `timeout` at or after `deadline` (of
        trio's clock) and `dropped` before. `in_turn` makes it wait for the commands to its campaign before it and holds
        back those after it.
        """
        async with self._turns[campaign] if in_turn else nullcontext():
            entry = await self._begin(tool, arguments, "started", campaign=campaign)
            try:
                with carrying_out(entry):
                    yield entry
                entry.result = "success" if entry.result == "started" else entry.result
            except Exception as error:  # whatever went wrong, the log says so; nothing is held back
                entry.result, entry.message = "failure", _message(error)
                raise
            except BaseException:
                entry.result = "timeout" if trio.current_time() >= deadline else "dropped"
                raise
            finally:
                with trio.CancelScope(shield=True):
                    await self._finish(entry)

    async def never_begun(
        self,
        tool: str,
        arguments: Mapping[str, object],
        message: str,
        result: CommandResult = "failure",
        *,
        campaign: str = "",
    ) -> None:
        """Record a command that was refused, or ran out of time, before it began."""
        with trio.CancelScope(shield=True):
            await self._begin(tool, arguments, result, message, campaign)

    async def _begin(
        self, tool: str, arguments: Mapping[str, object], result: CommandResult, message: str = "", campaign: str = ""
    ) -> CommandEntry:
        timestamp = rfc3339(self._wall_clock())
        kept, size = bounded(
            without_secrets(arguments), MAX_ARGUMENTS_LENGTH if result == "started" else MAX_REFUSED_LENGTH
        )
        # Within this process there are no callers to tell apart.
        caller = current_caller()
        who = "" if caller is LOCAL else caller.shown[:MAX_CALLER_LENGTH]
        entry = CommandEntry(timestamp, tool, kept, result, message, size=size, caller=who, campaign=campaign)
        async with self._writing:
            self._remember(entry)
            if (file := self._files.get(campaign)) is not None:
                # A line that is begun is finished, too: a call cancelled here has no line at all.
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(file.append, entry)
        return entry

    def _remember(self, entry: CommandEntry) -> None:
        self._newest.append(entry)
        self._characters += entry.size
        while len(self._newest) > KEPT or (self._characters > KEPT_CHARACTERS and len(self._newest) > 1):
            self._characters -= self._newest.popleft().size

    async def _finish(self, entry: CommandEntry) -> None:
        async with self._writing:
            if (file := self._files.get(entry.campaign)) is not None:
                await trio.to_thread.run_sync(file.finish, entry)
        if entry.effects and (tasks := self._tasks.get(entry.campaign)) is not None:
            tasks.start_soon(self._amend, entry)

    async def _amend(self, entry: CommandEntry) -> None:
        """Write at which call the command took effect, once that is known."""
        for effect in entry.effects:
            await effect.settled()
        async with self._writing:
            if (file := self._files.get(entry.campaign)) is not None:
                await trio.to_thread.run_sync(file.amend, entry)


def _message(error: Exception) -> str:
    return error.message if isinstance(error, ToolError) else type(error).__name__
