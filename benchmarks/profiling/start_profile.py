"""Profile of a campaign's start: what the first calls of it cost, in portions that grow."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contestants.harness import Harness, HarnessCampaign, compile_harness
from benchmarks.measuring.surroundings import ForeignLoad
from benchmarks.measuring.tables import markdown_table
from benchmarks.profiling.harness_profile import PLACES, REST
from benchmarks.profiling.stopwatch import Stopwatch

PORTIONS = (20_000, 80_000, 200_000, 700_000, 2_000_000)


@dataclass(frozen=True)
class Portion:
    """`calls` of a campaign, and the processor's seconds for them by concern."""

    calls: int
    seconds: dict[str, float]

    @property
    def whole(self) -> float:
        return sum(self.seconds.values())


def profile_start(harness: Harness, folder: Path, calls: int, seed: int) -> list[str]:
    """Profile the first calls, `calls` or few more. Raises `BenchmarkError` and `SimulatorError`."""
    compiled, load = compile_harness(harness, folder), ForeignLoad()
    began = time.process_time()
    campaign = HarnessCampaign(compiled, seed)
    setup = time.process_time() - began
    portions = [_measured(campaign, size) for size in _portions(calls)]
    return [
        f"### {compiled.target.name}, from its start",
        "",
        f"Contracts deployed: {campaign.contracts}, functions: {len(campaign.worker.engine.targets)}, tests: "
        f"{len(campaign.worker.oracles)}. Seed {seed}. Deploying them took {setup:.2f} s of processor time.",
        "",
        *start_table(portions),
        *load.warning(),
    ]


def _portions(calls: int) -> list[int]:
    """The first sizes that make up so many calls together; a shorter one at the end."""
    sizes: list[int] = []
    for size in PORTIONS:
        if sum(sizes) < calls:
            sizes.append(min(size, calls - sum(sizes)))
    return [*sizes, calls - sum(sizes)] if sum(sizes) < calls else sizes


def _measured(campaign: HarnessCampaign, calls: int) -> Portion:
    watch = Stopwatch(REST)
    with watch.watching(PLACES):
        spent = campaign.fuzz(calls)
    return Portion(spent.calls, dict(watch.seconds))


def start_table(portions: list[Portion]) -> list[str]:
    """Milliseconds of processor time: a row for each concern, a column for each portion."""
    whole: dict[str, float] = {}
    for portion in portions:
        for name, seconds in portion.seconds.items():
            whole[name] = whole.get(name, 0.0) + seconds
    names = sorted(whole, key=lambda name: -whole[name])
    rows = [(name, *(f"{1e3 * each.seconds.get(name, 0.0):,.0f}" for each in portions)) for name in names]
    rows.append(("all", *(f"{1e3 * each.whole:,.0f}" for each in portions)))
    rows.append(("calls/s of processor time", *(f"{each.calls / max(each.whole, 1e-9):,.0f}" for each in portions)))
    return markdown_table(("ms of processor time", *(f"{each.calls:,} calls" for each in portions)), rows)
