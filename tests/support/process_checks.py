"""Waiting for processes to be gone: the kernel takes a moment after a kill, and nobody may reap an orphan."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import psutil

from tests.support.patience import until, wait_for


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def is_soon_gone(pid: int) -> bool:
    """True as soon as the process has ended. Fails where it never does."""
    return wait_for(lambda: is_gone(pid), f"the end of process {pid}")


def are_soon_gone(processes: Iterable[psutil.Process]) -> bool:
    """The same for several."""
    return all(is_soon_gone(process.pid) for process in processes)


async def appears(path: Path) -> None:
    """Wait until another process has made a file."""
    await until(path.exists)
