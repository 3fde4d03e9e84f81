"""Machine and versions that the figures were measured on and with."""

from __future__ import annotations

import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

PACKAGES = ("numba", "llvmlite", "pyrevm")


def processor() -> str:
    """The processor's model name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def describe(forge_version: str | None) -> list[str]:
    """Lines about machine, date, load and versions. The load tells whether the machine was quiet."""
    memory = psutil.virtual_memory().total / 2**30
    versions = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    if forge_version:
        versions.append(f"forge {forge_version}")
    return [
        f"{processor()}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.release()}",
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, load average at the start {os.getloadavg()[0]:.1f}",
        ", ".join(versions),
    ]


TOLERATED = 0.1
"""Cores that other programs may use meanwhile."""


class ForeignLoad:
    """Load by other programs on the machine from now on. Processes that this one has started count as its own once
    they have ended."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._busy, self._own = _busy_seconds(), _own_seconds()

    def cores(self) -> float:
        """Cores that others have used, on the average."""
        foreign = (_busy_seconds() - self._busy) - (_own_seconds() - self._own)
        return max(0.0, foreign / max(time.perf_counter() - self._began, 1e-9))

    def warning(self) -> list[str]:
        """Lines that mark figures taken on a machine that others used; none where it was quiet."""
        cores = self.cores()
        if cores <= TOLERATED:
            return []
        return [
            "",
            f"**Taken under foreign load**: other programs used {cores:.1f} cores meanwhile. Rates by the clock are "
            "too low; compare processor time, and only within this run.",
        ]


def _busy_seconds() -> float:
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - getattr(times, "iowait", 0.0) - getattr(times, "guest", 0.0))


def _own_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
