"""The folder of one run: `raw.log`, `raw.index`, `meta.json`, `diagnostics.json`. Only its user can read it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from actors.processes.line_index import LogLineIndex
from actors.processes.run_meta import RunMeta
from actors.runtime.errors import StorageFailed
from simulator.encoding import encode_json
from simulator.files.atomic_file import TEMPORARY_PREFIX, write_atomically

LOG = "raw.log"
INDEX = "raw.index"
META = "meta.json"
DIAGNOSTICS = "diagnostics.json"
FOLDER_MODE = 0o700
FILE_MODE = 0o600
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC


class RunFolder:
    """The writing side. Every method raises `StorageFailed` with the path that refuses."""

    def __init__(self, folder: Path, meta: RunMeta) -> None:
        self.folder = folder
        self.index = LogLineIndex()
        self.meta = meta
        self._log = self._marks = -1
        try:
            folder.mkdir(FOLDER_MODE)
            self._log = os.open(folder / LOG, _FRESH, FILE_MODE)
            self._marks = os.open(folder / INDEX, _FRESH, FILE_MODE)
        except OSError as error:
            self.close()
            raise _failed(folder, error) from error
        self.write_meta(meta)

    def append(self, chunk: bytes) -> None:
        """Add output to the log, then its marks to the index: a reader never finds a mark without its line."""
        try:
            _write_all(self._log, chunk)
            marks = self.index.add(chunk)
            _write_all(self._marks, marks)
        except OSError as error:
            raise _failed(self.folder / LOG, error) from error

    def write_meta(self, meta: RunMeta) -> None:
        write_private(self.folder / META, encode_json(meta))
        self.meta = meta

    def write_diagnostics(self, content: bytes) -> None:
        write_private(self.folder / DIAGNOSTICS, content)

    def close(self) -> None:
        for descriptor in (self._log, self._marks):
            if descriptor >= 0:
                with suppress(OSError):
                    os.close(descriptor)
        self._log = self._marks = -1


def is_file_of_run(name: str) -> bool:
    """True if a file with this name in the folder of a run is one that a `RunFolder` writes."""
    return name in (LOG, INDEX, META, DIAGNOSTICS) or name.startswith(TEMPORARY_PREFIX)


def write_private(path: Path, content: bytes) -> None:
    """Put a file in place whole, readable for its user only. Raises `StorageFailed`."""
    try:
        write_atomically(path, content, durable=False)
    except OSError as error:
        raise _failed(path, error) from error


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _failed(path: Path, error: OSError) -> StorageFailed:
    return StorageFailed(f"{path}: cannot be written: {error.strerror or error}")
