"""`events.jsonl`: every event as one line of JSON, appended, cut into a bounded number of files.

A process that was killed may leave half a line behind; it is cut off when the file is opened again, so that every line
of it is an event. The same goes for a write that the disk broke off. All methods block on the disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec

from actors.events.types import LoggedEvent
from actors.runtime.timestamps import rfc3339, unix_seconds
from simulator.encoding import encode_json
from simulator.printable import printable_json

ROTATE_BYTES = 32 << 20
KEPT_FILES = 4
_CHUNK = 1 << 16
_MAX_LINES = 100


class LastLine(msgspec.Struct, frozen=True):
    """End of an earlier campaign's file: cursor and time (Unix seconds) of its last event."""

    cursor: int = 0
    time: float = 0.0


class EventFile:
    """Appends to `path`. A file over `rotate_bytes` becomes `<path>.1`, that one `<path>.2`, and so on; the one after
    `kept_files` is removed. Anything but a regular file (a pipe, a device) is only written to."""

    def __init__(self, path: Path, rotate_bytes: int = ROTATE_BYTES, kept_files: int = KEPT_FILES) -> None:
        self.path = path
        self._rotate_bytes = rotate_bytes
        self._kept_files = kept_files
        self._descriptor: int | None = None
        self._is_regular = False

    def write(self, batch: Iterable[LoggedEvent]) -> None:
        """Append these events; opens the file first, where that is needed. Raises `OSError`; then none of the lines
        stands in the file, as far as the disk lets us take them back."""
        self._close_removed()
        descriptor = self._open()
        start = os.fstat(descriptor).st_size
        try:
            data = memoryview(b"".join(map(event_line, batch)))
            while data:
                data = data[os.write(descriptor, data) :]
        except OSError:
            if self._is_regular:
                with suppress(OSError):
                    os.ftruncate(descriptor, start)
            self.close()
            raise
        self._rotate()

    def close(self) -> None:
        """Let go of the file; `write` opens it again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        if self._descriptor is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._is_regular = stat.S_ISREG(os.fstat(self._descriptor).st_mode)
            if self._is_regular:
                _cut_broken_line(self._descriptor)
        return self._descriptor

    def _close_removed(self) -> None:
        """Close a file that was removed: the events are for readers."""
        if self._descriptor is not None and os.fstat(self._descriptor).st_nlink == 0:
            self.close()

    def _rotate(self) -> None:
        if not self._is_regular or self._descriptor is None:
            return
        if os.fstat(self._descriptor).st_size < self._rotate_bytes:
            return
        self.close()
        for number in range(self._kept_files, 0, -1):
            older = self.path if number == 1 else numbered(self.path, number - 1)
            with suppress(FileNotFoundError):
                os.replace(older, numbered(self.path, number))


def numbered(path: Path, number: int) -> Path:
    """Path of the events before those of `path`; the higher the number, the older."""
    return path.with_name(f"{path.name}.{number}")


def last_line(path: Path) -> LastLine:
    """End of an earlier campaign's file; zeros when it cannot be read or is no log of ours."""
    for candidate in (path, numbered(path, 1)):
        with suppress(OSError):
            descriptor = os.open(candidate, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                if stat.S_ISREG(os.fstat(descriptor).st_mode) and (found := _last_event(descriptor)) is not None:
                    return found
            finally:
                os.close(descriptor)
    return LastLine()


class _Head(msgspec.Struct):
    cursor: Annotated[int, msgspec.Meta(ge=0)]
    time: str


def _last_event(descriptor: int) -> LastLine | None:
    end = _line_start(descriptor, os.fstat(descriptor).st_size)
    for _ in range(_MAX_LINES):
        if end == 0:
            break
        start = _line_start(descriptor, end - 1)
        with suppress(msgspec.DecodeError, UnicodeDecodeError, ValueError):
            head = msgspec.json.decode(os.pread(descriptor, end - start, start), type=_Head)
            return LastLine(head.cursor, unix_seconds(head.time))
        end = start
    return None


def _line_start(descriptor: int, end: int) -> int:
    """Behind the last line feed before `end`; 0 without one."""
    while end > 0:
        start = max(0, end - _CHUNK)
        position = os.pread(descriptor, end - start, start).rfind(b"\n")
        if position >= 0:
            return start + position + 1
        end = start
    return 0


def _cut_broken_line(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    start = _line_start(descriptor, size)
    if start < size:
        os.ftruncate(descriptor, start)


def event_line(logged: LoggedEvent) -> bytes:
    """An event as one line of JSON, safe to print: `time` is RFC 3339, bytes are 0x-hex."""
    entry = _readable(msgspec.to_builtins(logged, builtin_types=(bytes,)))
    line = encode_json(entry | {"time": rfc3339(logged.time)}).decode()
    return printable_json(line).encode() + b"\n"


def _readable(value: Any) -> Any:
    match value:
        case bytes():
            return f"0x{value.hex()}"
        case dict():
            return {key: _readable(member) for key, member in value.items()}
        case list() | tuple():
            return [_readable(member) for member in value]
        case _:
            return value
