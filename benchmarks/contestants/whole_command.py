"""`monotreme fuzz` as a user runs it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.contestants.targets import CONFIGURATION, Target
from benchmarks.measuring.errors import BenchmarkError

TIMEOUT = 1800.0
EVENTS = "events.jsonl"
FIRST_EXECUTION = frozenset(("CoverageIncreased", "PropertyFalsified"))


@dataclass(frozen=True)
class CommandRun:
    """`seconds` is the campaign's own duration, `wall` the command's with compilation, start and reports. `cpu` is the
    processor time of all its processes."""

    calls: int
    seconds: float
    wall: float
    cpu: float


def fuzz_command(
    target: Target, *, workers: int, seed: int, corpus: Path | None, limit: tuple[str, int],
    configuration: Path = CONFIGURATION, python: Path | None = None,
) -> list[str]:  # fmt: skip
    """The command line; `limit` is an option and its value, such as `--test-limit` and calls."""
    option, value = limit
    return [
        str(python or sys.executable), "-m", "orchestrator", "fuzz", str(target.file), "--contract", target.name,
        "--config", str(configuration), "--workers", str(workers), option, str(value), "--seed", str(seed),
        "--format", "json", "--quiet", *(("--corpus-dir", str(corpus)) if corpus else ()),
    ]  # fmt: skip


def run_command(
    target: Target, *, workers: int, calls: int, seed: int, corpus: Path | None = None,
    configuration: Path = CONFIGURATION, python: Path | None = None,
) -> CommandRun:  # fmt: skip
    """Fuzz to a limit of calls, by the program of another interpreter where `python` names one. Raises
    `BenchmarkError` unless the command ends with exit code 0."""
    limit = ("--test-limit", calls)
    command = fuzz_command(
        target, workers=workers, seed=seed, corpus=corpus, limit=limit, configuration=configuration, python=python
    )
    # With -m, the working folder is where modules are looked for first.
    folder = python.parents[2] if python is not None else None
    began, used = time.perf_counter(), _seconds_of_children()
    result = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False, cwd=folder)
    wall, cpu = time.perf_counter() - began, _seconds_of_children() - used
    if result.returncode:
        tail = result.stderr.decode(errors="replace").strip()[-500:]
        raise BenchmarkError(f"monotreme fuzz {target.name} ended with {result.returncode}: {tail}")
    campaign: dict[str, Any] = msgspec.json.decode(result.stdout)["campaign"]
    return CommandRun(campaign["calls"], campaign["duration"], wall, cpu)


def _seconds_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def seconds_to_first_call(target: Target, folder: Path, seed: int) -> float:
    """From the start of the command to its first event that an executed call has caused: an upper bound."""
    began = time.time()
    run_command(target, workers=1, calls=1000, seed=seed, corpus=folder)
    for line in (folder / EVENTS).read_bytes().splitlines():
        entry: dict[str, Any] = msgspec.json.decode(line)
        if entry["event"]["type"] in FIRST_EXECUTION:
            return datetime.fromisoformat(entry["time"]).timestamp() - began
    raise BenchmarkError(f"monotreme fuzz {target.name} reported no coverage")
