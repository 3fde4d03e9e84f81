"""Matching of a caller's path to a file of a report: paths may be absolute on one side and relative on the other.

A path is looked for as it is spelt, then as the absolute path below the working folder, then below the folders that
the report may be relative to, and at last as the end of exactly one path, compared by whole components. A path that
could mean two files means none: a missing figure misleads less than another file's. So does an absolute path of another
folder, whatever its end.
"""

from __future__ import annotations

import os.path
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog

from tools.coverage.report import LineReport, Lines

_logger = structlog.get_logger(__name__)


class ReportPaths:
    """The files of a report by every way to name them. `folders` are absolute, the most likely root first."""

    def __init__(self, report: LineReport, folders: Sequence[Path]) -> None:
        self._report = report
        self._folders = folders
        self._absolute = {absolute(path, folder): path for folder in reversed(folders) for path in report.files}
        self._by_name: Mapping[str, list[tuple[str, ...]]] | None = None
        self._spelling: dict[tuple[str, ...], str] = {}

    def lines_of(self, path: str) -> Lines | None:
        """The lines of the file that is meant, None when there is none or it is ambiguous."""
        if path in self._report.files:
            return self._report.files[path]
        for folder in self._folders:
            if (spelling := self._absolute.get(absolute(path, folder))) is not None:
                return self._report.files[spelling]
        return self._by_suffix(path)

    def _by_suffix(self, path: str) -> Lines | None:
        wanted = components(path)
        if not wanted or _is_absolute(path):
            return None
        candidates = [each for each in self._named(wanted[-1]) if _ends_with(each, wanted) or _ends_with(wanted, each)]
        if len(candidates) > 1:
            _logger.warning("a path may mean several files of the report", path=path[:200], files=len(candidates))
        return self._report.files[self._spelling[candidates[0]]] if len(candidates) == 1 else None

    def _named(self, name: str) -> list[tuple[str, ...]]:
        if self._by_name is None:
            by_name: dict[str, list[tuple[str, ...]]] = defaultdict(list)
            for path in self._report.files:
                parts = components(path)
                if parts and parts not in self._spelling:
                    self._spelling[parts] = path
                    by_name[parts[-1]].append(parts)
            self._by_name = by_name
        return self._by_name.get(name, [])


def absolute(path: str, folder: Path) -> str:
    """A normal form for comparison; symbolic links are not followed, as the files may be of another machine."""
    return os.path.normpath(os.path.join(folder, path.replace("\\", "/")))


def components(path: str) -> tuple[str, ...]:
    """Folders and name, without `.`, a leading `/` and what leads out of the folder."""
    parts = os.path.normpath(path.replace("\\", "/")).split("/")
    return tuple(part for part in parts if part not in ("", ".", ".."))


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\")) or path[1:2] == ":"


def _ends_with(longer: tuple[str, ...], end: tuple[str, ...]) -> bool:
    return len(end) <= len(longer) and longer[len(longer) - len(end) :] == end
