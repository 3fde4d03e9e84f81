"""Samples of the processor's place, by `perf`: samples of this process's user code, grouped by concern."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measuring.errors import BenchmarkError
from benchmarks.profiling.perf_map import write_perf_map
from simulator.evm.kernel_entry import Kernel

FREQUENCY = 4000
ATTACH_SECONDS = 0.5
_LINE = re.compile(r"\s*([0-9.]+)%\s+\[\.\]\s+(\S+)")

# The first prefix that fits a function's name decides.
CONCERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("dispatch and the instructions inside the loop", ("run",)),
    ("division, exponentiation", ("evm.kernel.native.division", "evm.kernel.division")),
    ("keccak", ("evm.kernel.native.keccak", "evm.kernel.memory.keccak")),
    ("storage and journal", ("evm.kernel.state.storage", "evm.kernel.state.journal")),
    ("memory and logs", ("evm.kernel.memory", "__memset", "__memmove")),
    ("calls and frames", ("evm.kernel.calls", "evm.kernel.code")),
    ("begin and end of transactions", ("evm.kernel.run", "evm.kernel.state", "entry")),
    ("generation and mutation", ("fuzz.native.values", "fuzz.native.transactions", "fuzz.native.sequences",
                                 "fuzz.native.builders", "fuzz.native.random_words", "fuzz.native.xorshift")),
    ("fuzz loop and oracles", ("fuzz.native.loop", "fuzz.native.oracles", "fuzz.native.outcomes", "fuzz.native.sites")),
    ("comparisons and results into the dictionary", ("fuzz.native.comparisons", "fuzz.native.results",
                                                     "evm.kernel.feedback")),
)  # fmt: skip
REST = "Python: corpus, trimming, solving, telemetry"


def can_sample() -> bool:
    return shutil.which("perf") is not None


def sample(kernel: Kernel, work: Callable[[], object], seconds: float) -> dict[str, float]:
    """Share of samples by concern while `work` is repeated for some seconds. Raises `BenchmarkError` without perf."""
    perf = shutil.which("perf")
    if perf is None:
        raise BenchmarkError("perf is not installed")
    names = write_perf_map(kernel)
    try:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "perf.data"
            _record(perf, data, work, seconds)
            return by_concern(_report(perf, data))
    finally:
        names.unlink()


def _record(perf: str, data: Path, work: Callable[[], object], seconds: float) -> None:
    command = [perf, "record", "-q", "-F", str(FREQUENCY), "-e", "cpu-clock:u", "-o", str(data), "-p", str(os.getpid())]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + ATTACH_SECONDS + seconds
        while time.monotonic() < end:
            work()
        process.send_signal(signal.SIGINT)
        process.wait()


def _report(perf: str, data: Path) -> dict[str, float]:
    command = [perf, "report", "-i", str(data), "--stdio", "--sort", "symbol", "-g", "none"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    found = {match[2]: float(match[1]) for line in result.stdout.splitlines() if (match := _LINE.match(line))}
    if not found:
        raise BenchmarkError("perf saw nothing; is it allowed to? (kernel.perf_event_paranoid of 2 or less)")
    return found


def by_concern(functions: dict[str, float]) -> dict[str, float]:
    """Shares of concerns, from percentages of functions."""
    shares = dict.fromkeys((*(each for each, _ in CONCERNS), REST), 0.0)
    for name, percent in functions.items():
        shares[_concern(name)] += percent / 100
    return shares


def _concern(name: str) -> str:
    for concern, prefixes in CONCERNS:
        if name in prefixes or name.startswith(tuple(f"{prefix}{mark}" for prefix in prefixes for mark in "._")):
            return concern
    return REST
