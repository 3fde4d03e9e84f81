"""Values by key in one folder: sealed files, bounded in size, made again when they are damaged."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from simulator.cache.sealed_file import DamagedFileError, has_seal, read_sealed, write_sealed
from simulator.printable import one_line

MAX_TOTAL = 512 << 20
Value = TypeVar("Value")
Warn = Callable[[str], None]


def log_warning(text: str) -> None:
    """One line in the program's log, which shares stderr with the live view; on stderr in a program without a log."""
    if "structlog" in sys.modules:
        import structlog

        structlog.get_logger(__name__).warning(text)
    else:
        sys.stderr.write(f"warning: {one_line(text)}\n")


class Cache(Generic[Value]):
    """MessagePack files of one type in one folder. The least recently used go when all exceed `max_total` bytes.

    An entry that cannot be read is one that is not there. `warn` hears of each that is damaged, or that another user
    can have written; it is removed, so that its owner makes it again.
    """

    def __init__(
        self, folder: Path, kind: Any, max_total: int = MAX_TOTAL, suffix: str = ".msgpack", warn: Warn = log_warning
    ) -> None:
        self.folder = folder
        self._decoder: msgspec.msgpack.Decoder[Value] = msgspec.msgpack.Decoder(kind)
        self._max_total = max_total
        self._suffix = suffix
        self._warn = warn

    def get(self, key: str) -> Value | None:
        """The value, None when there is none that can be trusted."""
        file = self.path(key)
        try:
            body = read_sealed(file, self._max_total)
        except DamagedFileError as error:
            self._warn(f"{error}; it is not used, but made again")
            with suppress(OSError):
                file.unlink()
            return None
        if body is None:
            return None
        with suppress(OSError):
            os.utime(file)
        try:
            return self._decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    def put(self, key: str, value: Value) -> None:
        """Keep a value. One that cannot be written, or is too large, is not kept."""
        with suppress(OSError):
            self.write(key, value)

    def write(self, key: str, value: Value) -> None:
        """Keep a value, unless it is too large. Raises `OSError`."""
        body = msgspec.msgpack.encode(value)
        if len(body) <= self._max_total:
            write_sealed(self.path(key), body)
            self._trim()

    def path(self, key: str) -> Path:
        """The file of a key, whether it is there or not."""
        return self.folder / f"{key}{self._suffix}"

    def _trim(self) -> None:
        entries = sorted(self._entries(), reverse=True)
        total = 0
        for number, (_, size, file) in enumerate(entries):
            total += size
            # The folder may be one that the user keeps other things in.
            if number and total > self._max_total and has_seal(file):
                file.unlink(missing_ok=True)

    def _entries(self) -> list[tuple[int, int, Path]]:
        found = []
        for file in self.folder.glob(f"*{self._suffix}"):
            with suppress(FileNotFoundError):  # another process made room too
                status = file.lstat()
                found.append((status.st_mtime_ns, status.st_size, file))
        return found
