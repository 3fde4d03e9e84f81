"""LCOV files on disk: confined, limited, parsed in threads, and kept parsed until they change."""

from __future__ import annotations

import os
from collections import OrderedDict
from functools import partial
from pathlib import Path
from threading import Lock
from typing import BinaryIO

import trio

from simulator.files.regular_file import open_regular
from tools.coverage.lcov_parser import LcovError, parse_lcov
from tools.coverage.report import LineReport
from tools.errors import ErrorCode, ToolError
from tools.roots import AllowedRoots, PathRefused

MAX_FILE_BYTES = 1 << 29
KEPT_REPORTS = 8
PARSERS = 2
_Key = tuple[str, int, int]


class LcovFiles:
    """Reads reports. A parse continues when its caller is gone, and the next caller finds it done."""

    def __init__(self, roots: AllowedRoots) -> None:
        self._roots = roots
        self._parsed: OrderedDict[_Key, LineReport] = OrderedDict()
        self._lock = Lock()
        self._limiter = trio.CapacityLimiter(PARSERS)

    @property
    def base(self) -> Path:
        return self._roots.base

    def folders_of(self, text: str) -> tuple[Path, ...]:
        """Candidate base folders of relative paths in this report, the most likely first."""
        try:
            folder = self._roots.resolve(text).parent
        except PathRefused:
            return (self._roots.base,)
        return tuple(dict.fromkeys((self._roots.base, folder.parent, folder)))

    async def read(self, text: str) -> LineReport:
        """The report at a path as the caller gave it. Raises `ToolError` in the family's published form."""
        return await trio.to_thread.run_sync(partial(self._read, text), limiter=self._limiter, abandon_on_cancel=True)

    def _read(self, text: str) -> LineReport:
        try:
            path = self._roots.resolve(text)
            with _opened(path) as file:
                return self._report(str(path), file)
        except FileNotFoundError as error:
            raise _failed(f"LCOV file not found at path {text}", "FILE_NOT_FOUND") from error
        except (PathRefused, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise _failed(f"Cannot read LCOV file: {reason[:1].lower()}{reason[1:]}", "UNREADABLE") from error
        except LcovError as error:
            raise _failed(f"Failed to parse LCOV file: {error}", "PARSE_ERROR") from error

    def _report(self, path: str, file: BinaryIO) -> LineReport:
        state = os.fstat(file.fileno())
        key = (path, state.st_mtime_ns, state.st_size)
        with self._lock:
            if key in self._parsed:
                self._parsed.move_to_end(key)
                return self._parsed[key]
        report = parse_lcov(file)
        with self._lock:
            self._parsed[key] = report
            while len(self._parsed) > KEPT_REPORTS:
                self._parsed.popitem(last=False)
        return report


def _opened(path: Path) -> BinaryIO:
    """A regular file of bounded size. Raises `OSError`; a pipe never makes it wait."""
    file = open_regular(path)
    if os.fstat(file.fileno()).st_size > MAX_FILE_BYTES:
        file.close()
        raise OSError(f"larger than {MAX_FILE_BYTES >> 20} MiB")
    return file


def _failed(message: str, reason: str) -> ToolError:
    return ToolError(ErrorCode.INVALID_INPUT, message, reason=reason)
