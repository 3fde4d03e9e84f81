"""What the figures were measured on and with."""

from __future__ import annotations

import os
import platform
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
