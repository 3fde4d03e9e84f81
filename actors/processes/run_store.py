"""All runs of a user, one folder each: found again after a restart, removed after some days."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from actors.processes.command import kill_marked
from actors.processes.run_folder import DIAGNOSTICS, FOLDER_MODE, LOG, META, RunFolder, is_file_of_run, write_private
from actors.processes.run_log import RunLog
from actors.processes.run_meta import RunMeta, RunState, is_run_id
from actors.runtime.errors import RunNotFound, StorageFailed
from simulator.encoding import encode_json
from simulator.files.folder_removal import remove_own_folder
from simulator.files.user_folders import user_data_folder

RETENTION_SECONDS = 14 * 24 * 3600.0
_INTERRUPTED = "the server was killed while the command ran"


def default_runs_folder() -> Path:
    """`runs/` in the user's data folder."""
    return user_data_folder() / "runs"


class RunStore:
    """Runs below one folder, which several servers may share. Calls block on the disk. `retention` is seconds from
    the end of a run to its removal."""

    def __init__(self, folder: Path | None = None, retention: float = RETENTION_SECONDS) -> None:
        self.folder = folder or default_runs_folder()
        self._retention = retention

    def create(self, meta: RunMeta) -> RunFolder:
        """The folder of a fresh run. Raises `StorageFailed`."""
        try:
            self.folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageFailed(f"{self.folder}: cannot be made: {error.strerror}") from error
        return RunFolder(self.folder / meta.run_id, meta)

    def get(self, run_id: str) -> RunMeta:
        """A run; one whose server is gone is interrupted, whatever its file says. Raises `RunNotFound`."""
        try:
            return _settled(self._place(run_id), _read_meta(self._place(run_id)))
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RunNotFound(f"Run not found: {run_id}") from error

    def log(self, run_id: str) -> RunLog:
        """The log of a run that is over, or that another server runs. Raises `RunNotFound`."""
        try:
            return RunLog(self._place(run_id))
        except OSError as error:
            raise RunNotFound(f"Run not found: {run_id}") from error

    def diagnostics(self, run_id: str) -> bytes | None:
        """Diagnostics parsed from the output, None when nothing was stored."""
        try:
            return (self._place(run_id) / DIAGNOSTICS).read_bytes()
        except OSError:
            return None

    def every(self) -> list[RunMeta]:
        """All runs, newest first. Folders that hold no run are passed over."""
        found: list[RunMeta] = []
        for folder in self._folders():
            with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
                found.append(_settled(folder, _read_meta(folder)))
        return sorted(found, key=lambda meta: (meta.queued_at, meta.run_id), reverse=True)

    def clean(self, now: float) -> None:
        """Clean up when a server starts: end processes left by killed servers, record that their runs
        were interrupted, and remove the runs that were kept for long enough at `now`. A folder that holds anything but
        a run's files stays."""
        for folder in self._folders():
            with suppress(OSError, StorageFailed):
                if now - _settle(folder) > self._retention:
                    remove_own_folder(folder, is_file_of_run, META)

    def _place(self, run_id: str) -> Path:
        if not is_run_id(run_id):
            raise RunNotFound(f"Run not found: {run_id[:80]}")
        folder = self.folder / run_id
        if folder.is_symlink():
            raise RunNotFound(f"Run not found: {run_id}")
        return folder

    def _folders(self) -> Iterator[Path]:
        try:
            names = sorted(os.listdir(self.folder))
        except OSError:
            return
        yield from (self.folder / name for name in names if is_run_id(name) and not (self.folder / name).is_symlink())


def _read_meta(folder: Path) -> RunMeta:
    return msgspec.json.decode((folder / META).read_bytes(), type=RunMeta)


def _settle(folder: Path) -> float:
    """Put in order what a killed server may have left. Returns when the run ended, infinity while it is open; for a
    folder without a readable run when it was last changed."""
    try:
        stored = _read_meta(folder)
        meta = _settled(folder, stored)
    except (msgspec.DecodeError, UnicodeDecodeError, FileNotFoundError):
        return folder.stat().st_mtime
    if stored.state.is_open and not meta.state.is_open:
        kill_marked(meta.run_id)
        write_private(folder / META, encode_json(meta))
    return math.inf if meta.completed_at is None else meta.completed_at


def _settled(folder: Path, meta: RunMeta) -> RunMeta:
    if not meta.state.is_open or meta.owner.is_alive():
        return meta
    log = folder / LOG
    reader = RunLog(folder)
    return msgspec.structs.replace(
        meta,
        state=RunState.INTERRUPTED,
        completed_at=max(log.stat().st_mtime, meta.queued_at),
        total_bytes=reader.total_bytes(),
        total_lines=reader.total_lines(),
        problem=_INTERRUPTED,
    )
