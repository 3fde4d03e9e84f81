"""One contract, all contestants: the kernel and revm on recorded calls, the campaign and forge on their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contestants import revm
from benchmarks.contestants.campaign import LocalCampaign
from benchmarks.contestants.forge import ForgeProject
from benchmarks.contestants.replay import KernelReplay
from benchmarks.contestants.targets import CompiledTarget
from benchmarks.contestants.whole_command import run_command
from benchmarks.measuring.rounds import Rates, interleave

KERNEL = "kernel"
REVM = "pyrevm"
CAMPAIGN = "campaign"
ONE_WORKER = "command, 1 worker"
TWO_WORKERS = "command, 2 workers"
FORGE = "forge"


@dataclass(frozen=True)
class Sizes:
    """Work of each contestant in a round, in calls of its own; `sequences` are recorded ones of 100 calls."""

    rounds: int
    sequences: int
    campaign_calls: int
    command_calls: int
    forge_calls: int


@dataclass(frozen=True)
class ContestResult:
    """`succeeded` of the `recorded` calls succeed, in the kernel and in revm alike, with equal outputs. The shares of
    reverted calls are those of the fuzzers' own calls; forge's is None without forge."""

    compiled: CompiledTarget
    recorded: int
    succeeded: int
    rates: dict[str, Rates]
    reverted: float
    forge_reverted: float | None

    def ratio(self, above: str, below: str) -> float | None:
        """Best rate by best rate, None when one of them was not measured."""
        if above not in self.rates or below not in self.rates:
            return None
        return self.rates[above].best / self.rates[below].best


class Contest:
    """All contestants of one contract, made once and measured in rounds."""

    def __init__(self, compiled: CompiledTarget, sizes: Sizes, seed: int, forge: ForgeProject | None) -> None:
        self._compiled = compiled
        self._sizes = sizes
        self._seed = seed
        self._forge = forge
        self._forge_reverted: float | None = None
        self._campaign = LocalCampaign(compiled, seed)
        self._campaign.fuzz(sizes.campaign_calls)
        self._campaign.compile_hot_code()
        sequences = self._campaign.record(sizes.sequences)
        machine = self._campaign.worker.machine
        self._kernel = KernelReplay(machine, sequences, self._campaign.worker.engine.recycle)
        self._revm = revm.RevmReplay(machine, sequences) if revm.AVAILABLE else None

    def run(self, progress: Callable[[str], None]) -> ContestResult:
        """Compare the outcomes, then measure. Raises `BenchmarkError` when the kernel and revm disagree."""
        name = self._compiled.target.name
        succeeded = self._kernel.run()
        if self._revm:
            progress("comparing outcomes with revm")
            agreed = revm.compare_outcomes(name, self._kernel.outcomes, self._revm.outcomes())
            revm.require_equal_counts(name, agreed, succeeded, self._revm.run())
        rates = interleave(self._contestants(), self._sizes.rounds, lambda text: progress(f"{name}: {text}"))
        return ContestResult(
            self._compiled, self._kernel.calls, succeeded, rates, self._campaign.reverted_share, self._forge_reverted
        )

    def _contestants(self) -> dict[str, Callable[[], float]]:
        found: dict[str, Callable[[], float]] = {KERNEL: self._measure_kernel}
        if self._revm:
            found[REVM] = self._measure_revm
        found[CAMPAIGN] = self._measure_campaign
        if self._forge:
            found[FORGE] = self._measure_forge
        if self._sizes.command_calls:
            found[ONE_WORKER] = lambda: self._measure_command(1)
            found[TWO_WORKERS] = lambda: self._measure_command(2)
        return found

    def _measure_kernel(self) -> float:
        began = time.perf_counter()
        self._kernel.run()
        return self._kernel.calls / (time.perf_counter() - began)

    def _measure_revm(self) -> float:
        assert self._revm is not None
        began = time.perf_counter()
        self._revm.run()
        return self._revm.calls / (time.perf_counter() - began)

    def _measure_campaign(self) -> float:
        spent = self._campaign.fuzz(self._sizes.campaign_calls)
        return spent.calls / spent.seconds

    def _measure_forge(self) -> float:
        assert self._forge is not None
        run = self._forge.fuzz(self._compiled.target.invariants, self._sizes.forge_calls, self._seed)
        self._forge_reverted = run.reverts / run.calls
        return run.calls / run.seconds

    def _measure_command(self, workers: int) -> float:
        calls = workers * self._sizes.command_calls
        run = run_command(self._compiled.target, workers=workers, calls=calls, seed=self._seed)
        return run.calls / run.seconds


def forge_project(forge: Path, folder: Path, compiled: CompiledTarget) -> ForgeProject:
    """The project in a fresh folder below `folder`."""
    place = folder / "forge"
    with suppress(FileExistsError):
        place.mkdir()
    return ForgeProject(forge, place, compiled)
