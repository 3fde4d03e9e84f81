"""A worker process alone: how soon it is ready, and what memory it keeps."""

from __future__ import annotations

import os
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.contestants.targets import CompiledTarget
from benchmarks.measuring.errors import BenchmarkError
from orchestrator.assembly.wiring import WORKER_COMMAND
from simulator.settings import CampaignSettings
from simulator.worker.commands import Fuzz, Setup, ToWorker
from simulator.worker.framing import FrameDecoder, encode_frame
from simulator.worker.reports import Done, Failed, Falsified, FromWorker, Ready

READ_SIZE = 1 << 16
STEP = 1_000_000


@dataclass(frozen=True)
class Memory:
    """Private memory (USS) in bytes after a number of calls."""

    calls: int
    private: int


class WorkerHandle:
    """One started worker, spoken to in lockstep."""

    def __init__(self, process: subprocess.Popen[bytes], began: float) -> None:
        self._process = process
        self._began = began
        union: Any = FromWorker
        self._decoder: FrameDecoder[FromWorker] = FrameDecoder(union)
        self._arrived: deque[FromWorker] = deque()

    def set_up(self, compiled: CompiledTarget, seed: int) -> float:
        """Deploy; seconds from the start of the process until it is ready to fuzz."""
        self.deploy(compiled.project, compiled.settings, seed)
        return time.perf_counter() - self._began

    def deploy(self, project: Path, settings: CampaignSettings, seed: int) -> None:
        """Returns when the worker is ready to fuzz."""
        self._send(Setup(0, seed, os.fsencode(project), settings))
        ready = self._wait_for(Ready)
        assert isinstance(ready, Ready)
        self._ready = ready

    def calls_until_falsified(self, tests: frozenset[str], limit: int) -> int | None:
        """Fuzz until all of these tests are falsified; the calls it took, those of trimming and solving included. None
        where `limit` was not enough."""
        names = [test.name for test in self._ready.tests]
        missing = set(tests) - {names[test] for test, _ in self._ready.falsified_at_start}
        calls = 0
        while missing and calls < limit:
            self._send(Fuzz(max(1, limit - calls)))
            for frame in self._frames():
                if isinstance(frame, Falsified):
                    missing.discard(names[frame.test])
                if isinstance(frame, Done):
                    calls += frame.calls + frame.beside
                    break
        return None if missing else max(calls, 1)

    def cpu_seconds(self) -> float:
        """Of the process so far, its start included."""
        times = psutil.Process(self._process.pid).cpu_times()
        return float(times.user + times.system)

    def fuzz(self, calls: int) -> int:
        """Fuzz at least this many calls; how many they were."""
        self._send(Fuzz(calls))
        done = self._wait_for(Done)
        assert isinstance(done, Done)
        return done.calls

    def private_memory(self) -> int:
        return int(psutil.Process(self._process.pid).memory_full_info().uss)

    def _send(self, frame: ToWorker) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(encode_frame(frame))
        self._process.stdin.flush()

    def _wait_for(self, kind: type[FromWorker]) -> FromWorker:
        return next(frame for frame in self._frames() if isinstance(frame, kind))

    def _frames(self) -> Iterator[FromWorker]:
        """Frames as they come; the caller stops at the one that ends its command."""
        assert self._process.stdout is not None
        while True:
            while self._arrived:
                frame = self._arrived.popleft()
                if isinstance(frame, Failed):
                    raise BenchmarkError(f"the worker failed: {frame.message}")
                yield frame
            data = os.read(self._process.stdout.fileno(), READ_SIZE)
            if not data:
                raise BenchmarkError("the worker ended early")
            self._arrived.extend(self._decoder.feed(data))


@contextmanager
def started_worker(command: Sequence[str] = WORKER_COMMAND) -> Iterator[WorkerHandle]:
    """A worker process, by default started as a campaign starts it, and ended with the block."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield WorkerHandle(process, began)
        finally:
            process.kill()


def seconds_to_ready(compiled: CompiledTarget, seed: int) -> float:
    with started_worker() as worker:
        return worker.set_up(compiled, seed)


def memory_over(compiled: CompiledTarget, calls: int, seed: int) -> list[Memory]:
    """Private memory after the first million calls, after half of `calls` and after all of them."""
    found: list[Memory] = []
    with started_worker() as worker:
        worker.set_up(compiled, seed)
        done = 0
        for limit in sorted({min(STEP, calls), calls // 2, calls} - {0}):
            while done < limit:
                done += worker.fuzz(min(STEP, limit - done))
            found.append(Memory(done, worker.private_memory()))
    return found
