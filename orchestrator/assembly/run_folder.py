"""The folders of one run: a private one for what workers read, and the corpus folder, which one campaign owns."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from orchestrator.assembly.errors import CampaignFolderError
from simulator.project import Project

PROJECT_FILE = "project.msgpack"
LOCK_FILE = ".lock"


@contextmanager
def run_folder() -> Iterator[Path]:
    """A folder that nobody else can read, gone with the campaign. Raises `CampaignFolderError`."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="monotreme-", ignore_cleanup_errors=True)
    except OSError as error:
        place = error.filename or tempfile.gettempdir()
        raise CampaignFolderError(f"{place}: no temporary folder can be made: {error.strerror}") from error
    with folder as name:
        yield Path(name)


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
    """Own the corpus folder, made if need be, until the block ends; the lock also ends with the process.

    Raises `CampaignFolderError` when another campaign owns it or it cannot be written.
    """
    if folder is None:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise CampaignFolderError(f"{folder}: the corpus folder cannot be written: {error.strerror}") from error
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise CampaignFolderError(f"{folder}: another campaign is using this corpus folder") from error
    except OSError as error:
        raise CampaignFolderError(f"{folder}: the corpus folder cannot be locked: {error.strerror}") from error
