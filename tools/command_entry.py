"""One command of an agent, from its beginning to its last word, and the line that the log keeps of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from actors.steering.effects import Effect
from simulator.endpoint import parse_endpoints
from simulator.errors import ChainError
from tools.rendering import compact_json

MAX_ARGUMENTS_LENGTH = 1 << 18
MAX_REFUSED_LENGTH = 1 << 12
LINE_END = b"}\n"
CALLS_WIDTH = 20
_CALLS_KEY = b',"calls":'

_URLS = "rpcUrl"
_SECRETS = frozenset((_URLS, "etherscanApiKey"))
_HIDDEN = "***"

CommandResult = Literal["started", "success", "failure", "timeout", "dropped"]


@dataclass(slots=True, eq=False, weakref_slot=True)
class CommandEntry:
    """One command while it is carried out. `effects` are what it did to the campaign; `is_kept` once a file has its
    line; `size` is that of its arguments. `caller` says who gave the command, `campaign` to which of the server's
    campaigns, empty for none."""

    timestamp: str
    tool: str
    arguments: Mapping[str, object]
    result: CommandResult = "started"
    message: str = ""
    effects: list[Effect] = field(default_factory=list)
    is_kept: bool = False
    size: int = 0
    caller: str = ""
    campaign: str = ""

    def line(self) -> bytes:
        """As JSON, with its line end."""
        body: dict[str, object] = {"timestamp": self.timestamp, "tool": self.tool}
        if self.caller:
            body["caller"] = self.caller
        body |= {"args": self.arguments, "result": self.result}
        if self.message:
            body["message"] = self.message
        line = compact_json(body).encode("utf-8", "replace")
        return line[:-1] + _CALLS_KEY + self.calls() + LINE_END if self.effects else line + b"\n"

    def calls(self) -> bytes:
        """The value behind the key `calls`, always `CALLS_WIDTH` bytes."""
        known = [effect.calls for effect in self.effects]
        number = "null" if None in known else str(max((calls for calls in known if calls is not None), default=0))
        return number.rjust(CALLS_WIDTH).encode()

    def result_place(self) -> int:
        """Position of the result in its line; it always has seven letters."""
        arguments = b'"args":' + compact_json(self.arguments).encode("utf-8", "replace")
        line, key = self.line(), b'"result":"'
        return line.index(key, line.index(arguments) + len(arguments)) + len(key)


_current: ContextVar[CommandEntry | None] = ContextVar("command", default=None)


@contextmanager
def carrying_out(entry: CommandEntry) -> Iterator[None]:
    """Within the block, effects are those of this command."""
    token = _current.set(entry)
    try:
        yield
    finally:
        _current.reset(token)


def note_campaign(campaign: str) -> None:
    """The command that this task carries out has begun the campaign of this id."""
    if (entry := _current.get()) is not None:
        entry.campaign = campaign


def note_effect() -> Effect:
    """An effect of the command that this task carries out, to be given to the campaign along with it."""
    effect = Effect()
    if (entry := _current.get()) is not None:
        entry.effects.append(effect)
    return effect


def bounded(arguments: Mapping[str, object], limit: int = MAX_ARGUMENTS_LENGTH) -> tuple[Mapping[str, object], int]:
    """Arguments as the log keeps them, and their size in characters: those that were refused may have any size, and
    numbers that JSON does not have."""
    try:
        size = len(compact_json(arguments))
    except ValueError:
        return {"omitted": "no JSON"}, 0
    return (arguments, size) if size <= limit else ({"omitted": f"{size} characters of JSON"}, 0)


def without_secrets(arguments: Mapping[str, object]) -> Mapping[str, object]:
    """Arguments without keys of the configuration that are credentials, or hold them: all who may read see the log.
    Of a node's URL scheme, host and port are left."""
    settings = arguments.get("settings")
    if not isinstance(settings, Mapping):
        return arguments
    shown = {name: _shown(name, value) for name, value in settings.items() if name in _SECRETS and value is not None}
    return {**arguments, "settings": {**settings, **shown}}


def _shown(name: str, value: object) -> str:
    if name != _URLS or not isinstance(value, str):
        return _HIDDEN
    try:
        return ",".join(map(str, parse_endpoints(value)))
    except ChainError:
        return _HIDDEN
