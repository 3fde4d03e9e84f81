"""Snapshots of reports in the system's temporary folder: one file each, named by a UUID, private to the user.

They outlive the server and end when the system clears the folder. Comparing does not use them up.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from pathlib import Path
from uuid import uuid4

import msgspec

from simulator.files.atomic_file import write_atomically
from simulator.files.regular_file import read_at_most
from tools.coverage.report import LineReport
from tools.errors import ErrorCode, ToolError

MAX_SNAPSHOT_BYTES = 1 << 28
_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class ReportSnapshot(msgspec.Struct, frozen=True, rename="camel"):
    """`timestamp` is Unix milliseconds; `base` is the folder that relative paths of the report are relative to."""

    snapshot_id: str
    timestamp: int
    lcov_path: str
    base: str
    report: LineReport


class SnapshotStore:
    """`folder` None is a folder of this user below the system's temporary one. Blocks on the disk."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(tempfile.gettempdir(), f"coverage-snapshots-{os.getuid()}")

    def save(self, report: LineReport, lcov_path: str, base: Path, timestamp: int) -> ReportSnapshot:
        """Write a snapshot, atomically. Raises `ToolError` in the family's published form."""
        snapshot = ReportSnapshot(str(uuid4()), timestamp, lcov_path, str(base), report)
        try:
            self._make_folder()
            path = self._folder / f"{snapshot.snapshot_id}.json"
            write_atomically(path, msgspec.json.encode(snapshot), durable=False)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise ToolError(ErrorCode.INTERNAL_ERROR, f"Cannot create snapshot: {reason}", reason="STORAGE") from error
        return snapshot

    def load(self, snapshot_id: str) -> ReportSnapshot:
        """Raises `ToolError` for every id that is not of a snapshot, without looking anywhere for one that is no
        UUID."""
        lower = snapshot_id.lower()
        try:
            if not _UUID4.fullmatch(lower):
                raise FileNotFoundError
            self._check_folder()
            content = read_at_most(self._folder / f"{lower}.json", MAX_SNAPSHOT_BYTES)
            return msgspec.json.decode(content, type=ReportSnapshot)
        except (OSError, msgspec.DecodeError) as error:
            message = f"Snapshot not found with ID {snapshot_id[:100]}"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="SNAPSHOT_NOT_FOUND") from error

    def _make_folder(self) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._check_folder()

    def _check_folder(self) -> None:
        state = self._folder.lstat()
        # In a world-writable folder, another user may have created it first.
        if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & 0o077:
            raise PermissionError(0, f"{self._folder} is not a private folder of this user")
