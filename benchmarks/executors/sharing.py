"""How soon a sequence that one worker found is with all others, over a cluster."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.executors import supervisor
from benchmarks.executors.supervised_program import Supervised
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.tables import markdown_table


def measure(address: str, folder: Path, sizes: Sequence[int], seconds: float) -> dict[int, list[float]]:
    """Seconds for each sequence that had reached everybody, in campaigns of these numbers of workers. Raises
    `BenchmarkError`."""
    file = supervisor.record_frames(folder)[1]
    found = {}
    for workers in sizes:
        sys.stderr.write(f"{workers} workers\n")
        with supervisor.fake_workers(file, "--finding") as fakes:
            supervisor.run(Supervised(address, fakes.port, str(file), workers, seconds))
        found[workers] = fakes.reached
        if not fakes.reached:
            raise BenchmarkError(f"{workers} workers: no sequence reached all of them")
    return found


def table(found: Mapping[int, Sequence[float]]) -> list[str]:
    """A row for each number of workers."""
    rows = [
        (str(workers), str(len(seconds)), f"{statistics.median(seconds):.2f} s", f"{max(seconds):.2f} s")
        for workers, seconds in found.items()
    ]
    return markdown_table(("workers", "sequences", "with all others after, median", "slowest"), rows)
