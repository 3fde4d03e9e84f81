"""The reading side of a run's log, while it grows and afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from actors.processes.line_index import LogLineIndex
from actors.processes.log_lines import LogLine, log_lines
from actors.processes.run_folder import INDEX, LOG


class LogPage(msgspec.Struct, frozen=True):
    """`lines` of a log that has `total_lines` at the moment."""

    lines: tuple[LogLine, ...]
    total_lines: int


class RunLog:
    """Reads a log by byte or by line; a call reads what it returns and at most 64 KiB and a line more.

    All of it may block on the disk and raise `OSError`; nothing changes the index of a running command.
    """

    def __init__(self, folder: Path, index: LogLineIndex | None = None) -> None:
        self._path = folder / LOG
        self._live = index
        self._stored = LogLineIndex() if index else _stored_index(folder, self._path)

    def total_bytes(self) -> int:
        return self._live.total_bytes if self._live else _size(self._path)

    def total_lines(self) -> int:
        return self._live.total_lines if self._live else self._counted()

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset`; fewer, or none, at the end."""
        with self._path.open("rb") as file:
            file.seek(offset)
            return file.read(max(0, min(length, self.total_bytes() - offset)))

    def page(self, start: int, count: int) -> LogPage:
        """At most `count` lines from the 1-based line `start`."""
        total = self.total_lines()
        wanted = min(count, total - start + 1)
        lines = tuple(islice(self.lines(start), wanted)) if wanted > 0 else ()
        return LogPage(lines, total)

    def lines(self, start: int = 1) -> Iterator[LogLine]:
        """The lines from the 1-based line `start` to the end that the log has at this moment."""
        mark = self._index().before_line(start)
        with self._path.open("rb") as file:
            found = log_lines(file, mark.lines + 1, mark.offset, self.total_bytes())
            yield from islice(found, start - mark.lines - 1, None)

    def _index(self) -> LogLineIndex:
        return self._live or self._stored

    def _counted(self) -> int:
        last = self._stored.last()
        with self._path.open("rb") as file:
            return last.lines + sum(1 for _ in log_lines(file, 1, last.offset, self.total_bytes()))


def _stored_index(folder: Path, log: Path) -> LogLineIndex:
    try:
        marks = (folder / INDEX).read_bytes()
    except OSError:
        marks = b""
    return LogLineIndex.decoded(marks, _size(log))


def _size(path: Path) -> int:
    return path.stat().st_size
