"""Waiting for processes to be gone: the kernel takes a moment after a kill, and nobody may reap an orphan."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psutil
import trio


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def is_soon_gone(pid: int, seconds: float = 10.0) -> bool:
    """Whether the process ends within a generous time."""
    end = time.monotonic() + seconds
    while not is_gone(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return is_gone(pid)


async def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for another process to bring something about: there is no event to wait for."""
    with trio.fail_after(seconds):
        while not condition():  # noqa: ASYNC110
            await trio.sleep(0.01)


async def appears(path: Path) -> None:
    """Wait until another process has made a file."""
    await until(path.exists)
