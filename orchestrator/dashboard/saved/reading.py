"""Contents of a campaign's folder: its last checkpoint, its report, its events and its commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from actors.events.file import KEPT_FILES, ROTATE_BYTES, numbered
from actors.runtime.timestamps import unix_seconds
from orchestrator.checkpoint.errors import CheckpointError
from orchestrator.checkpoint.file import Checkpoint, checkpoint_of, read_checkpoint
from orchestrator.dashboard.saved.overview import overview_of
from orchestrator.report.errors import ReportRequestError
from orchestrator.report.model import CampaignReport
from orchestrator.report.saved import REPORT_FILE, read_report
from simulator.files.regular_file import read_at_most
from simulator.printable import one_line, shown_path
from tools.command_file import COMMANDS_FILE

EVENTS_FILE: Final = "events.jsonl"
MAX_EVENT_FILE: Final = 2 * ROTATE_BYTES
MAX_COMMANDS_FILE: Final = 64 << 20
MAX_NAMED: Final = 5


class SavedEvent(msgspec.Struct, frozen=True):
    """A line of `events.jsonl`; `time` is RFC 3339."""

    cursor: int
    time: str
    worker: int
    event: dict[str, Any]

    @property
    def kind(self) -> str:
        return str(self.event.get("type", ""))

    @property
    def moment(self) -> float:
        """Unix seconds, 0 for a time in another form."""
        try:
            return unix_seconds(self.time)
        except ValueError:
            return 0.0


class SavedCommand(msgspec.Struct, frozen=True):
    """A line of `mcp-commands.jsonl`."""

    timestamp: str
    tool: str
    args: dict[str, Any]
    result: str
    message: str = ""
    caller: str = ""
    calls: int | None = None


class SavedFolder(msgspec.Struct, frozen=True):
    """`notes` are sentences on what of the folder could not be read."""

    path: Path
    checkpoint: Checkpoint
    report: CampaignReport | None
    commands: tuple[SavedCommand, ...]
    notes: tuple[str, ...] = ()

    def events(self) -> Iterator[SavedEvent]:
        """All events that the folder still has, oldest first. Lines that are none are passed over."""
        current = self.path / EVENTS_FILE
        for path in (*(numbered(current, number) for number in range(KEPT_FILES, 0, -1)), current):
            for line in _lines(path, MAX_EVENT_FILE):
                with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    yield msgspec.json.decode(line, type=SavedEvent)


def read_folder(path: Path) -> SavedFolder:
    """The campaign of a corpus folder. Blocks on the disk. Raises `ReportRequestError` for a folder without one."""
    if not path.is_dir():
        raise ReportRequestError(f"{shown_path(path)}: --dashboard needs the corpus folder of a campaign, not a file")
    try:
        checkpoint = read_checkpoint(checkpoint_of(path))
    except CheckpointError as error:
        raise ReportRequestError(str(error)) from error
    if checkpoint is None:
        raise ReportRequestError(f"{shown_path(path)}: holds no checkpoint{_hint(path)}")
    report, notes = None, []
    if (path / REPORT_FILE).exists():
        try:
            report = read_report(path)
        except ReportRequestError as error:
            notes.append(f"the report is left out: {error}")
    if report is not None and not _is_of(report, checkpoint):
        report = None
        notes.append("the report is left out: it is of an earlier campaign; the one shown did not come to its report")
    return SavedFolder(path, checkpoint, report, tuple(_commands(path)), tuple(map(one_line, notes)))


def _hint(path: Path) -> str:
    below = overview_of(path)
    if below is None:
        return "; a campaign with --corpus-dir writes it"
    names = [each.folder for each in below.campaigns]
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f", but campaigns below: give one of {', '.join(names[:MAX_NAMED])}{more}"


def _is_of(report: CampaignReport, checkpoint: Checkpoint) -> bool:
    """A program that died leaves the report of the campaign before it."""
    same = report.campaign.target == checkpoint.target and report.campaign.seed == checkpoint.seed
    return same and bool(checkpoint.ended) and report.campaign.calls == checkpoint.state.calls


def _commands(folder: Path) -> Iterator[SavedCommand]:
    for line in _lines(folder / COMMANDS_FILE, MAX_COMMANDS_FILE):
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            yield msgspec.json.decode(line, type=SavedCommand)


def _lines(path: Path, most: int) -> Iterator[bytes]:
    with suppress(OSError):
        yield from read_at_most(path, most).splitlines()
