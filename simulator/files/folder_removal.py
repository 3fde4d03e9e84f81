"""Removing folders that the program itself has made, and nothing that only looks like one."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

Proof = Callable[[int], bool]


def remove_own_folder(folder: Path, is_ours: Callable[[str], bool], marker: str, proof: Proof = lambda _: True) -> bool:
    """Remove a folder of this user that holds nothing but regular files with names that `is_ours` knows.

    `proof` looks at the open folder and decides. The file `marker` goes last, so that a removal that was interrupted
    can be repeated. Neither links nor subfolders are followed or removed: a folder with one stays as it is. Returns
    whether the folder is gone. Raises `OSError`.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        names = os.listdir(descriptor)
        if not (_is_private(descriptor) and all(is_ours(name) and _is_file(descriptor, name) for name in names)):
            return False
        if not proof(descriptor):
            return False
        for name in sorted(names, key=lambda name: name == marker):
            os.unlink(name, dir_fd=descriptor)
        # Empty or refused: whatever has come to stand under this name loses no file.
        os.rmdir(folder)
    finally:
        os.close(descriptor)
    return True


def _is_private(descriptor: int) -> bool:
    state = os.fstat(descriptor)
    return state.st_uid == os.geteuid() and not state.st_mode & 0o077


def _is_file(folder: int, name: str) -> bool:
    state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid()
