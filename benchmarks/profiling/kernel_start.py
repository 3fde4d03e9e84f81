"""Start of the kernel: compiled, and loaded when it has been compiled before. Each in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.measuring.errors import BenchmarkError

TIMEOUT = 600.0
_PROGRAM = """
import time
began = time.perf_counter()
from simulator.kernel_loader import load_kernel
load_kernel(lambda done, total, name: None)
print(time.perf_counter() - began)
"""


def _load_seconds(cache: str) -> float:
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env={**os.environ, "MONOTREME_CACHE": cache}, capture_output=True, text=True,
        timeout=TIMEOUT, check=False,
    )  # fmt: skip
    if result.returncode:
        raise BenchmarkError(f"the kernel does not load: {result.stderr.strip()[-500:]}")
    return float(result.stdout)


def kernel_seconds(rounds: int) -> tuple[float, float]:
    """(cold, warm): imports and `load_kernel()` with an empty cache once, and the best of `rounds` with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        cold = _load_seconds(cache)
        return cold, min(_load_seconds(cache) for _ in range(rounds))
