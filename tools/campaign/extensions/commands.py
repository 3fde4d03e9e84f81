"""`list_commands`: who has commanded what, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from pydantic import Field

from simulator.printable import shortened
from tools.campaign.fields import Integer
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.command_entry import CommandEntry
from tools.rendering import compact_json
from tools.tool import Answer, Tool, ToolInput

MAX_ARGUMENTS = 2_000
MAX_MESSAGE = 500


class ListCommandsInput(ToolInput):
    limit: Integer = Field(default=100, ge=1, le=500)


class GivenCommand(ToolResult, frozen=True):
    """`arguments` is JSON, cut at 2,000 characters. `result` is started, success, failure, timeout or dropped. `calls`
    had been made when it took effect, null where that is unknown."""

    timestamp: str
    tool: str
    caller: str
    arguments: str
    result: str
    message: str
    calls: int | None


class CommandsResult(ToolResult, frozen=True):
    """Newest first; `total` are remembered."""

    commands: tuple[GivenCommand, ...]
    total: int


class CommandTools:
    """`entries` gives the commands so far, oldest first."""

    def __init__(self, entries: Callable[[], Sequence[CommandEntry]]) -> None:
        self._entries = entries

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "list_commands",
                "Control commands of this server, newest first: who gave each, when, its arguments, its result, and at"
                " which call it took effect. Use it to see what others have changed.",
                (ListCommandsInput, CommandsResult),
                self.list_commands,
            ),
        )

    async def list_commands(self, inputs: ListCommandsInput) -> Answer:
        entries = self._entries()
        newest = tuple(entries)[-inputs.limit :][::-1]
        given = (given_command(each, each.arguments, _calls_at_effect(each)) for each in newest)
        return answer_of(CommandsResult(tuple(given), len(entries)))


class ShownCommand(Protocol):
    """Common fields of a command of this server and one of a saved campaign."""

    @property
    def timestamp(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def caller(self) -> str: ...
    @property
    def result(self) -> str: ...
    @property
    def message(self) -> str: ...


def given_command(command: ShownCommand, arguments: Mapping[str, object], calls: int | None) -> GivenCommand:
    """A command as `list_commands` shows it, with long texts cut."""
    return GivenCommand(
        timestamp=command.timestamp,
        tool=command.tool,
        caller=command.caller,
        arguments=shortened(compact_json(arguments), MAX_ARGUMENTS),
        result=command.result,
        message=shortened(command.message, MAX_MESSAGE),
        calls=calls,
    )


def _calls_at_effect(entry: CommandEntry) -> int | None:
    known = [effect.calls for effect in entry.effects if effect.calls is not None]
    return max(known) if known and len(known) == len(entry.effects) else None
