"""CPU of the supervisor and of its bridge with many workers, of which each says what a real one says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from benchmarks.contestants.targets import TARGETS, compile_target
from benchmarks.executors.recorded_frames import Recording, record
from benchmarks.executors.supervised_program import Spent, Supervised
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.tables import markdown_table

TARGET = TARGETS[0]
RECORDING_SECONDS = 5.0
ENOUGH = 0.9
"""Share of what its workers can do, below which a machine that holds all of them is no longer fast enough."""


def measure(address: str, folder: Path, sizes: Sequence[int], seconds: float) -> tuple[Recording, dict[int, Spent]]:
    """Campaigns of these numbers of workers on a cluster, one after the other. Raises `BenchmarkError`."""
    recording, file = record_frames(folder)
    found = {}
    for workers in sizes:
        sys.stderr.write(f"{workers} workers\n")
        with fake_workers(file) as fakes:
            found[workers] = run(Supervised(address, fakes.port, str(file), workers, seconds))
    return recording, found


def record_frames(folder: Path) -> tuple[Recording, Path]:
    """What a real worker says, and the file that fakes read it from. Raises `BenchmarkError`."""
    recording = record(compile_target(TARGET, folder), RECORDING_SECONDS)
    file = folder / "recording"
    file.write_bytes(msgspec.msgpack.encode(recording))
    return recording, file


@dataclass
class FakeWorkers:
    """`reached` is filled at the end of fakes that find: seconds of each sequence until all others had it."""

    port: int
    reached: list[float] = field(default_factory=list)


@contextmanager
def fake_workers(recording: Path, *options: str) -> Iterator[FakeWorkers]:
    """Fakes behind a port of this machine, which end with the block."""
    command = [sys.executable, "-m", "benchmarks.executors.fake_workers", str(recording), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        fakes = FakeWorkers(int(process.stdout.readline()))
        try:
            yield fakes
        finally:
            process.stdin.close()
            if options:
                fakes.reached = json.loads(process.stdout.readline())


def run(supervised: Supervised) -> Spent:
    """One campaign. Raises `BenchmarkError`."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.executors.supervised_program",
        msgspec.json.encode(supervised).decode(),
    ]
    run = subprocess.run(command, capture_output=True, check=False)
    if run.returncode:
        raise BenchmarkError(f"{supervised.workers} workers: {run.stderr.decode(errors='replace')[-500:]}")
    return msgspec.json.decode(run.stdout, type=Spent)


def table(recording: Recording, found: dict[int, Spent]) -> list[str]:
    """A row for each number of workers: measured where the machine could do their work too, else computed from the
    largest one that was."""
    kept = {workers: spent for workers, spent in found.items() if _pace(recording, workers, spent) >= ENOUGH}
    rows = []
    for workers, spent in found.items():
        pace = _pace(recording, workers, spent)
        is_measured = workers in kept or not kept
        base = (workers, spent) if is_measured else max(kept.items())
        shares = [100 * cpu / base[1].seconds * workers / base[0] for cpu in (base[1].supervisor, base[1].bridge)]
        rows.append(
            (
                str(workers),
                f"{shares[0]:.1f}%",
                f"{shares[1]:.1f}%",
                f"{sum(shares) / workers:.3f}%",
                f"{100 * pace:.0f}%",
                "measured" if is_measured else f"computed from {base[0]}",
            )
        )
    head = ("workers", "supervisor, of a core", "bridge, of a core", "both, a worker", "work done", "")
    said = (
        f"A worker of {TARGET.kind} says {recording.frames:.0f} frames and {recording.size / 1024:.0f} KiB a second;"
        " the fakes say the same, and find nothing. `work done` is the part of their time in which they had work."
        " Where this machine, which runs them too, fell below"
        f" {100 * ENOUGH:.0f}%, the shares are computed."
    )
    return [*markdown_table(head, rows), "", said]


def _pace(recording: Recording, workers: int, spent: Spent) -> float:
    return spent.calls / (recording.rate * workers * spent.seconds)
