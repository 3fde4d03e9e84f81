"""Actions of the keys of the live view: choose a page, or command the campaign as agents do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from actors.runtime.errors import ActorError
from actors.steering.commands import Command, Pause, Resume, SetWorkers, Stop
from orchestrator.snapshot import CampaignSnapshot

Page = Literal["overview", "findings", "coverage", "workers", "help"]
ASK_SECONDS: Final = 5.0
MAX_WORKERS: Final = 255
PAGE_KEYS: Final[dict[str, Page]] = {"f": "findings", "c": "coverage", "w": "workers", "?": "help"}
HELP: Final = (
    ("p", "pause, and continue"),
    ("s", "stop fuzzing, and report"),
    ("f", "findings with their calls"),
    ("c", "coverage by contract"),
    ("w", "workers"),
    ("+ -", "one worker more, one fewer"),
    ("?", "this page; Esc leaves a page"),
    ("Ctrl-C", "end the campaign; twice: without waiting for shrinking"),
)
KEY_LINE: Final = "p pause  s stop  f findings  c coverage  w workers  +/- workers  ? help"


class Commanded(Protocol):
    """A campaign as far as keys need it: `actors.campaign.actor.Campaign`."""

    async def ask(self, command: Command[Any], seconds: float) -> Any: ...


@dataclass
class LiveControls:
    """The page that is shown, and a sentence on what the last key did. `campaign` is None before there is one."""

    campaign: Callable[[], Commanded | None]
    read: Callable[[], CampaignSnapshot]
    page: Page = "overview"
    notice: str = ""

    async def press(self, key: str) -> None:
        """Do what a key says; others do nothing."""
        if key in PAGE_KEYS:
            self.page = "overview" if self.page == PAGE_KEYS[key] else PAGE_KEYS[key]
        elif key == "\x1b":
            self.page = "overview"
        elif (command := self._command(key)) is not None:
            await self._send(command)

    def _command(self, key: str) -> Command[Any] | None:
        snapshot = self.read()
        match key:
            case "p":
                return Resume() if snapshot.paused else Pause()
            case "s":
                return Stop()
            case "+" | "=":
                return SetWorkers(min(MAX_WORKERS, snapshot.wanted_workers + 1))
            case "-" | "_":
                return SetWorkers(max(1, snapshot.wanted_workers - 1))
            case _:
                return None

    async def _send(self, command: Command[Any]) -> None:
        campaign = self.campaign()
        if campaign is None:
            self.notice = "there is no campaign yet"
            return
        try:
            await campaign.ask(command, ASK_SECONDS)
        except ActorError as error:
            self.notice = str(error)
        else:
            self.notice = _said(command)


def _said(command: Command[Any]) -> str:
    match command:
        case Pause():
            return "paused: p continues"
        case Resume():
            return "continuing"
        case Stop():
            return "stopping"
        case SetWorkers():
            return f"workers wanted: {command.workers}"
        case _:
            return ""
