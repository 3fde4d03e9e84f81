"""Deadlines of a worker process: when it began to work, was interrupted, was asked to leave, and was last heard from.

Its fuzz worker reports what happens, and asks with `check` whether the process is to be given up.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import trio

from actors.runtime.errors import WorkerLost, WorkerStuck
from actors.workers.services import WorkerLimits


class WorkerPatience:
    """With the processes of worker `index`, one after the other."""

    def __init__(self, index: int, limits: WorkerLimits) -> None:
        self._index = index
        self._limits = limits
        self._working_since: float | None = None
        self._interrupted_at: float | None = None
        self._leaving_since: float | None = None
        self._last_frame = 0.0
        self._is_delivering = False
        self._is_overrun = False

    @property
    def is_working(self) -> bool:
        """Work was given, and is not done."""
        return self._working_since is not None

    @property
    def is_leaving(self) -> bool:
        """The process was asked to leave, to be recycled."""
        return self._leaving_since is not None

    def begin_process(self) -> None:
        """Nothing of an earlier process counts."""
        self._leaving_since = None
        self._is_overrun = False

    def end_process(self) -> None:
        """Forget its work. Whether it was asked to leave is known until the next one begins."""
        self.end_work()

    def begin_work(self) -> None:
        self._working_since = trio.current_time()

    def end_work(self) -> None:
        self._working_since = self._interrupted_at = None

    def go_on(self) -> None:
        """Work is done, and the next has begun. An interrupt was meant for both."""
        self._working_since = trio.current_time()

    @property
    def is_interrupted(self) -> bool:
        """The current work was asked to end."""
        return self._interrupted_at is not None

    def interrupt(self) -> bool:
        """Mark the current work as interrupted. False when there is none, or it was interrupted already."""
        if not self.is_working or self._interrupted_at is not None:
            return False
        self._interrupted_at = trio.current_time()
        return True

    def leave(self) -> None:
        """The process is to leave."""
        self._leaving_since = trio.current_time()

    def overrun(self) -> None:
        """Commands have piled up, and one of them was lost."""
        self._is_overrun = True

    def hear(self) -> None:
        """The process said something, or ended."""
        self._last_frame = trio.current_time()

    @contextmanager
    def delivering(self) -> Iterator[None]:
        """While others take what was heard, the process cannot be heard: its silence is ours."""
        self._is_delivering = True
        try:
            yield
        finally:
            self._is_delivering = False
            self.hear()

    def check(self, resident: int) -> None:
        """Raise `WorkerLost` when a process of so many bytes is too big, `WorkerStuck` when it has taken too long."""
        now, limits, name = trio.current_time(), self._limits, f"worker {self._index}"
        if limits.memory and resident > limits.memory:
            raise WorkerLost(f"{name} uses {resident >> 20} MiB, over its limit")
        if self._is_overrun:
            raise WorkerStuck(f"{name} does not take commands")
        if self._leaving_since is not None and now - self._leaving_since > limits.interrupt:
            raise WorkerStuck(f"{name} did not leave within {limits.interrupt:g} s when recycled")
        if self._working_since is None or self._is_delivering:
            return
        if self._interrupted_at is not None and now - self._interrupted_at > limits.interrupt:
            raise WorkerStuck(f"{name} did not end its work within {limits.interrupt:g} s of an interrupt")
        if now - max(self._last_frame, self._working_since) > limits.silence:
            raise WorkerStuck(f"{name} was silent for more than {limits.silence:g} s")
