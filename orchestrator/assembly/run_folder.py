"""The folders of one run: a private one for what workers read, and the corpus folder, which one campaign owns."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from orchestrator.assembly.abandoned_runs import LOCK_FILE, PREFIX, PROJECT_FILE, mark, remove_abandoned
from orchestrator.assembly.errors import CampaignFolderError
from simulator.printable import shown_path
from simulator.project import Project


@contextmanager
def run_folder() -> Iterator[Path]:
    """A private folder, removed with the campaign. Folders of campaigns that were killed are removed
    first. Raises `CampaignFolderError`."""
    parent = Path(tempfile.gettempdir())
    try:
        folder = tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent, ignore_cleanup_errors=True)
    except OSError as error:
        place = error.filename or parent
        raise CampaignFolderError(f"{shown_path(place)}: no temporary folder can be made: {error.strerror}") from error
    with folder as name, owned_folder(Path(name)):
        _mark(Path(name))
        remove_abandoned(parent)
        yield Path(name)


def _mark(folder: Path) -> None:
    try:
        mark(folder)
    except OSError as error:
        raise CampaignFolderError(f"{folder}: the folder cannot be written: {error.strerror}") from error


def write_project(folder: Path, project: Project) -> Path:
    """The project as workers read it. Raises `CampaignFolderError`."""
    path = folder / PROJECT_FILE
    try:
        path.write_bytes(msgspec.msgpack.encode(project))
    except OSError as error:
        raise CampaignFolderError(f"{shown_path(path)}: cannot be written: {error.strerror}") from error
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
        raise CampaignFolderError(f"{shown_path(folder)}: the folder cannot be written: {error.strerror}") from error
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise CampaignFolderError(f"{shown_path(folder)}: another campaign is using this folder") from error
    except OSError as error:
        raise CampaignFolderError(f"{shown_path(folder)}: the folder cannot be locked: {error.strerror}") from error
