"""Replacing files whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

PRIVATE = 0o600
SHARED = 0o644
TEMPORARY_PREFIX = ".tmp-"
"""Names of unfinished files begin like this. A process that is killed may leave one behind."""


def write_atomically(path: Path, data: bytes, *, durable: bool, mode: int = PRIVATE, replace: bool = True) -> None:
    """Put a file in place under its final name, complete, also while other processes do the same.

    `durable` waits until content and name are on the disk, so that both survive a power failure. With `replace` false
    a file that exists stays as it is. The folder must exist. Raises `OSError`; the earlier file then stays.
    """
    # Readers, such as every worker, start faster without it.
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if mode != PRIVATE:
            os.chmod(name, mode)
        if replace:
            os.replace(name, path)
        else:
            _put_in_place(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
    if durable:
        _sync_folder(path.parent)


def _put_in_place(name: str, path: Path) -> None:
    try:
        os.link(name, path)
    except FileExistsError:
        pass
    except OSError:
        # The file system has no hard links.
        os.replace(name, path)
        return
    os.unlink(name)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
