"""The worker's own loop in a process of its own, without supervision, which is compared with it."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from actors.workers.process import NICE
from benchmarks.contestants.campaign import LocalCampaign, Spent
from benchmarks.contestants.targets import CompiledTarget


def fuzz_bare(compiled: CompiledTarget, *, calls: int, seed: int) -> Spent:
    """A campaign from its beginning, as long as this many calls, at the priority of a worker. Raises
    `BenchmarkError`."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_fuzz, compiled, calls, seed).result()


def _fuzz(compiled: CompiledTarget, calls: int, seed: int) -> Spent:
    os.nice(NICE)
    return LocalCampaign(compiled, seed).fuzz(calls)
