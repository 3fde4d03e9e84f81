"""Private folders of runs whose process is gone: identified by a marker inside, and removed by the next run.

A marker names its own folder and the process that made it. A copy of it elsewhere proves nothing.
"""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path

import msgspec

from actors.processes.owner import Owner, this_process
from simulator.files.folder_removal import remove_own_folder

PREFIX = "monotreme-"
PROJECT_FILE = "project.msgpack"
LOCK_FILE = ".lock"
MARKER_FILE = ".monotreme-run.json"
_FILES = frozenset((PROJECT_FILE, LOCK_FILE, MARKER_FILE))
_MAX_MARKER_BYTES = 4_096
_UNFOLLOWED = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class RunMarker(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`device` and `inode` are the folder's own."""

    kind: str = "a run folder of monotreme"
    owner: Owner
    device: int
    inode: int


def mark(folder: Path) -> None:
    """Note that this process has made a folder, which it has locked before. Raises `OSError`."""
    state = folder.stat()
    marker = RunMarker(owner=this_process(), device=state.st_dev, inode=state.st_ino)
    descriptor = os.open(folder / MARKER_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _UNFOLLOWED, 0o600)
    with open(descriptor, "wb") as file:
        file.write(msgspec.json.encode(marker))


def remove_abandoned(parent: Path) -> None:
    """Remove the run folders below `parent` whose marker proves that they are ours and that their process is gone, and
    that hold nothing else. What cannot be removed is left to the system."""
    with suppress(OSError):
        for folder in parent.iterdir():
            if folder.name.startswith(PREFIX):
                with suppress(OSError):
                    remove_own_folder(folder, _FILES.__contains__, MARKER_FILE, _is_abandoned)


def _is_abandoned(folder: int) -> bool:
    marker = _read_marker(folder)
    state = os.fstat(folder)
    if marker is None or (marker.device, marker.inode) != (state.st_dev, state.st_ino):
        return False
    return marker.owner.is_gone() and _is_unlocked(folder)


def _read_marker(folder: int) -> RunMarker | None:
    try:
        with open(os.open(MARKER_FILE, os.O_RDONLY | _UNFOLLOWED, dir_fd=folder), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            return msgspec.json.decode(file.read(_MAX_MARKER_BYTES), type=RunMarker)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _is_unlocked(folder: int) -> bool:
    """True if no process holds the lock: what a marker says of a process that cannot be seen from here, a lock still
    contradicts."""
    try:
        with open(os.open(LOCK_FILE, os.O_RDWR | _UNFOLLOWED, dir_fd=folder), "rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
