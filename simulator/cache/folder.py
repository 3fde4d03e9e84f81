"""Folders of the cache, and whether other users keep their hands off them."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

PRIVATE = 0o700
_OTHERS_WRITE = 0o022


def is_trusted(state: os.stat_result) -> bool:
    """Return whether only this user, or the administrator, can have written a file."""
    return state.st_uid in (os.geteuid(), 0) and not state.st_mode & _OTHERS_WRITE


def make_folder(folder: Path) -> None:
    """Make a folder and its parents where they are missing, for this user alone. Raises `OSError`."""
    for missing in (*reversed(folder.parents), folder):
        if not missing.exists():
            missing.mkdir(PRIVATE, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def make_private_folder(folder: Path) -> None:
    """Make a folder that no other user can write. One of this user's own that others could write is closed to them.

    For files that are opened by name again and again, so that they cannot be exchanged. Raises `OSError`.
    """
    make_folder(folder)
    for place in (folder.parent, folder):
        _close_to_others(place)


def _close_to_others(folder: Path) -> None:
    state = folder.stat()
    if is_trusted(state) or (state.st_uid in (os.geteuid(), 0) and state.st_mode & stat.S_ISVTX):
        return
    if state.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "another user can write this folder", str(folder))
    folder.chmod(stat.S_IMODE(state.st_mode) & ~_OTHERS_WRITE)
