"""The file `mcp-commands.jsonl` of one campaign: lines are appended, and what is known later is written in place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

import structlog

from tools.command_entry import CALLS_WIDTH, LINE_END, CommandEntry

COMMANDS_FILE = "mcp-commands.jsonl"
LARGEST = 1 << 30
_logger = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Line:
    """`place` is its offset in the file, `length` counts bytes; `has_calls` says that there is a place for calls."""

    place: int
    length: int
    has_calls: bool = False


class CommandFile:
    """Blocks on the disk, and serves one thread at a time. A write that fails is logged and is the last: a file that
    cannot be written costs the file, not the command."""

    def __init__(self, folder: Path) -> None:
        self._lines: WeakKeyDictionary[CommandEntry, _Line] = WeakKeyDictionary()
        self._descriptor, self._end = -1, 0
        try:
            self._descriptor, self._end = _opened(folder / COMMANDS_FILE)
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def append(self, entry: CommandEntry) -> None:
        """Add the line of an entry that no file has yet."""
        if entry.is_kept or self._descriptor < 0:
            return
        if self._end >= LARGEST:
            self._give_up(f"{COMMANDS_FILE} has {LARGEST >> 20} MiB")
            return
        line = entry.line()
        place, self._end = self._end, self._end + len(line)
        self._lines[entry] = _Line(place, len(line))
        entry.is_kept = True
        self._write(line, place)

    def finish(self, entry: CommandEntry) -> None:
        """Write the result. The last line is written anew, with its message and the place for calls; in an earlier one
        the result alone is replaced."""
        if (kept := self._lines.get(entry)) is None:
            return
        if kept.place + kept.length == self._end:
            # Never shorter than before, as the result keeps its length and a message is only added.
            line = entry.line()
            self._write(line, kept.place)
            kept.length, kept.has_calls = len(line), bool(entry.effects)
            self._end = kept.place + kept.length
        else:
            self._write(entry.result.encode(), kept.place + entry.result_place())

    def amend(self, entry: CommandEntry) -> None:
        """Write at which call the command took effect."""
        kept = self._lines.get(entry)
        if kept is not None and kept.has_calls:
            self._write(entry.calls(), kept.place + kept.length - CALLS_WIDTH - len(LINE_END))

    def close(self) -> None:
        """Stop writing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def _write(self, data: bytes, place: int) -> None:
        if self._descriptor < 0:
            return
        try:
            while data:
                written = os.pwrite(self._descriptor, data, place)
                data, place = data[written:], place + written
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def _give_up(self, reason: str) -> None:
        _logger.warning("commands are kept in memory only", reason=reason)
        self.close()


def _opened(path: Path) -> tuple[int, int]:
    """The file and the position to continue at; a last line that was cut short by a crash stays a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    end = os.fstat(file).st_size
    if end and os.pread(file, 1, end - 1) != b"\n":
        end += os.pwrite(file, b"\n", end)
    return file, end
