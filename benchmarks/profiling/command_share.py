"""Processor time of a running `monotreme fuzz` itself, and of its workers."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.contestants.targets import Target
from benchmarks.contestants.whole_command import EVENTS, fuzz_command
from benchmarks.measuring.errors import BenchmarkError

FUZZING = b'"fuzzing"'
START_SECONDS = 120.0
SETTLE_SECONDS = 2.0
GLANCE = 0.05


@dataclass(frozen=True)
class Shares:
    """Shares of one core, 1.0 being all of it, over `seconds`. `workers` is the sum of all worker processes'."""

    seconds: float
    command: float
    workers: float


def measure_shares(target: Target, configuration: Path, corpus: Path, *, workers: int, seconds: int) -> Shares:
    """Once the command fuzzes, and has done so for a moment. It writes events, corpus and checkpoints to `corpus`."""
    limit = ("--timeout", int(SETTLE_SECONDS) + 2 * seconds)
    command = fuzz_command(
        target, workers=workers, seed=1, corpus=corpus, limit=limit, configuration=configuration
    )  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for_fuzzing(process, corpus / EVENTS)
            time.sleep(SETTLE_SECONDS)
            return _watch(psutil.Process(process.pid), seconds)
        except psutil.Error as error:
            raise BenchmarkError(f"a process of the command ended early: {error}") from error
        finally:
            process.terminate()


def _wait_for_fuzzing(process: subprocess.Popen[bytes], events: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not (events.exists() and FUZZING in events.read_bytes()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise BenchmarkError("monotreme fuzz did not come to fuzzing")
        time.sleep(GLANCE)


def _watch(command: psutil.Process, seconds: int) -> Shares:
    children = command.children()
    began, own, others = time.monotonic(), _spent(command), sum(map(_spent, children))
    time.sleep(seconds)
    passed = time.monotonic() - began
    return Shares(passed, (_spent(command) - own) / passed, (sum(map(_spent, children)) - others) / passed)


def _spent(process: psutil.Process) -> float:
    """Seconds of all threads of this process, without its children."""
    times = process.cpu_times()
    return float(times.user + times.system)
