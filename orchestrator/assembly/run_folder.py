"""The folders of one run: a private one for what workers read, and the corpus folder, which one campaign owns."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from orchestrator.assembly.errors import CampaignFolderError
from simulator.project import Project

PROJECT_FILE = "project.msgpack"
LOCK_FILE = ".lock"
_PREFIX = "monotreme-"
_ABANDONED_SECONDS = 3_600.0


@contextmanager
def run_folder() -> Iterator[Path]:
    """A folder that nobody else can read, gone with the campaign. Folders of campaigns that were killed are removed
    first. Raises `CampaignFolderError`."""
    try:
        folder = tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
    except OSError as error:
        place = error.filename or tempfile.gettempdir()
        raise CampaignFolderError(f"{place}: no temporary folder can be made: {error.strerror}") from error
    with folder as name, owned_folder(Path(name)):
        remove_abandoned(Path(tempfile.gettempdir()), time.time())
        yield Path(name)


def remove_abandoned(parent: Path, now: float) -> None:
    """Remove run folders of this user that nobody has locked, unless they are so young that their campaign may be
    about to. What cannot be removed is left to the system."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError, CampaignFolderError):
            state = folder.lstat()
            is_ours = stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid()
            if is_ours and now - state.st_mtime > _ABANDONED_SECONDS:
                with owned_folder(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def write_project(folder: Path, project: Project) -> Path:
    """The project as workers read it. Raises `CampaignFolderError`."""
    path = folder / PROJECT_FILE
    try:
        path.write_bytes(msgspec.msgpack.encode(project))
    except OSError as error:
        raise CampaignFolderError(f"{path}: cannot be written: {error.strerror}") from error
    return path


@contextmanager
def owned_corpus(folder: Path | None) -> Iterator[None]:
    """Own the corpus folder, where there is one, until the block ends. Raises as `owned_folder`."""
    if folder is None:
        yield
        return
    with owned_folder(folder):
        yield


@contextmanager
def owned_folder(folder: Path) -> Iterator[None]:
    """Own a folder, made if need be, until the block ends; the lock also ends with the process.

    Raises `CampaignFolderError` when another campaign owns it or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise CampaignFolderError(f"{folder}: the folder cannot be written: {error.strerror}") from error
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise CampaignFolderError(f"{folder}: another campaign is using this folder") from error
    except OSError as error:
        raise CampaignFolderError(f"{folder}: the folder cannot be locked: {error.strerror}") from error
