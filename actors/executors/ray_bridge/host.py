"""The actor that Ray runs on each node: it owns the worker processes there.

Both directions are byte streams with offsets, so that a call that is repeated, late or lost does no harm: `send_many`
takes what is new, `poll` gives what the bridge does not have yet, up to its credit. Arguments and answers are plain
tuples, bytes and numbers.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import importlib.metadata
import os
import signal
import time
from collections.abc import Mapping
from typing import TypedDict

from actors.executors.ray_bridge.niceness import take_niceness_of_raylet
from actors.executors.ray_bridge.node_files import NodeFiles
from actors.executors.ray_bridge.node_worker import NodeWorker
from simulator.kernel_loader import source_key
from simulator.lifetime import PR_SET_PDEATHSIG
from simulator.worker.frame import PROTOCOL_VERSION

POLL_SECONDS = 5.0
"""A poll is answered after so long, also when there is nothing to say."""
MAX_INTERVAL, MAX_LINGER = 0.25, 0.1
"""Seconds, for many workers on a node. A worker that fuzzes has its next piece already."""
_BEAT = 1.0

Want = tuple[int, int]
"""Offset that the bridge has come to, and how many more bytes it takes."""
Heard = tuple[int, bytes, bool, int | None, bytes, int, tuple[int, float] | None]
"""Offset, bytes, whether the output has ended, exit code, end of stderr, bytes of input written, usage."""


class Greeting(TypedDict):
    """What is installed on the node. `niceness` is as `take_niceness_of_raylet` returns it."""

    version: str
    protocol: int
    kernel: str
    has_kernel: bool
    cores: int
    niceness: int


class NodeHost:
    """One on each node. `interval` seconds is how long telemetry may wait for more; `linger` what others wait. Both are
    of one worker: among many everybody waits a little longer, so that the number of calls does not grow. Without a word
    from the bridge for `lease` seconds it ends with its processes."""

    def __init__(self, interval: float, linger: float, lease: float) -> None:
        self._interval = interval
        self._linger = linger
        self._lease = lease
        self._workers: dict[str, NodeWorker] = {}
        self._given_up: set[str] = set()
        self._last_word = time.monotonic()
        self._files = NodeFiles()

    async def hello(self) -> Greeting:
        """Begin, and say what is installed here. Asked once, before anything else."""
        self._news = asyncio.Event()
        self._poked = asyncio.Event()
        self._parent = os.getppid()
        # Ray leaves actors alive whose raylet was killed.
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        self._beating = asyncio.create_task(self._beat())
        return Greeting(
            version=importlib.metadata.version("monotreme"),
            protocol=PROTOCOL_VERSION,
            kernel=await asyncio.to_thread(source_key),
            has_kernel=await asyncio.to_thread(self._files.has_kernel),
            cores=len(os.sched_getaffinity(0)),
            niceness=take_niceness_of_raylet(),
        )

    async def install_project(self, digest: str, data: bytes) -> None:
        """Put the project where workers read it. Raises `ValueError` for damaged content, and `OSError`."""
        await asyncio.to_thread(self._files.install_project, digest, data)

    async def install_kernel(self, digest: str, data: bytes) -> None:
        """Take a kernel that was compiled elsewhere from equal sources, for an equal processor. Raises as above."""
        await asyncio.to_thread(self._files.install_kernel, digest, data)

    async def build_kernel(self) -> str:
        """Compile the kernel unless it is there. Empty when it is, else the reason."""
        return await asyncio.to_thread(self._files.build_kernel)

    async def start(self, key: str, argv: tuple[str, ...]) -> int:
        """Start a process; its id. Asked twice, it starts once. Raises `OSError`, and `KeyError` for a key that was
        given up. The event loop's thread forks: the signal that ends orphans follows the thread, not the process."""
        self._hear()
        if key in self._given_up:
            raise KeyError(key)
        if key not in self._workers:
            self._workers[key] = await NodeWorker.start(argv, self._files.folder, self._news)
        return self._workers[key].pid

    async def send_many(self, items: tuple[tuple[str, int, bytes], ...]) -> None:
        """Queue input of processes, each piece with its offset. Never waits for a process."""
        self._hear()
        for key, offset, data in items:
            if (worker := self._workers.get(key)) is not None:
                worker.write(offset, data)

    async def wake(self) -> None:
        """Let the current poll return: the bridge wants something else."""
        self._poked.set()
        self._news.set()

    async def end(self, key: str) -> bytes:
        """End a process and what it started; what it executed last, as MessagePack. Its key is never used again."""
        self._hear()
        self._given_up.add(key)
        worker = self._workers.pop(key, None)
        return b"" if worker is None else await worker.end()

    async def poll(self, wants: Mapping[str, Want]) -> dict[str, Heard]:
        """News of the processes in `wants`, as soon as there is some that cannot wait, else after a while. Processes
        without news that is due are left out."""
        self._hear()
        for key, (offset, _) in wants.items():
            if (worker := self._workers.get(key)) is not None:
                worker.confirm(offset)
        self._poked.clear()
        await self._wait_for_news(wants)
        patience = 0.0 if self._poked.is_set() else self._patience(len(wants))
        return {key: self._answer(key, want) for key, want in wants.items() if self._is_due(key, want[1], patience)}

    def _is_due(self, key: str, credit: int, patience: float) -> bool:
        """An answer for one process leaves the others' telemetry to gather, or it would come frame by frame from a node
        where somebody is always done."""
        worker = self._workers.get(key)
        if worker is None or worker.cannot_wait(credit):
            return True
        return worker.has_news(credit) and worker.seconds_since_answer() >= patience

    def _patience(self, workers: int) -> float:
        """How long telemetry may wait."""
        return min(MAX_INTERVAL, self._interval + self._linger * workers)

    async def _wait_for_news(self, wants: Mapping[str, Want]) -> None:
        deadline = time.monotonic() + POLL_SECONDS
        is_urgent = has_news = False
        while not self._poked.is_set():
            self._news.clear()
            for key, (_, credit) in wants.items():
                worker = self._workers.get(key)
                is_urgent |= worker is None or worker.cannot_wait(credit)
                has_news |= worker is not None and worker.has_news(credit)
            now = time.monotonic()
            linger = min(MAX_LINGER, self._linger * max(1, len(wants)))
            if is_urgent:
                deadline = min(deadline, now + linger)
            elif has_news:
                deadline = min(deadline, now + self._patience(len(wants)))
            if now >= deadline:
                return
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._news.wait(), deadline - now)
            if has_news:  # whatever comes meanwhile goes along
                await asyncio.sleep(max(0.0, min(deadline - time.monotonic(), linger)))

    def _answer(self, key: str, want: Want) -> Heard:
        worker = self._workers.get(key)
        if worker is None:
            return (want[0], b"", True, -9, b"the process is unknown on its node", 0, None)
        return worker.answer(want[1])

    def _hear(self) -> None:
        self._last_word = time.monotonic()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            for worker in self._workers.values():
                worker.measure()
            if time.monotonic() - self._last_word > self._lease or os.getppid() != self._parent:
                os._exit(1)  # the operating system ends the workers with this process
