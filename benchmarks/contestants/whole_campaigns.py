"""Whole campaigns, from the deployment of the contract on, by processor time: short and long ones, beside forge's."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.contestants.campaign import LocalCampaign
from benchmarks.contestants.forge import ForgeProject
from benchmarks.contestants.targets import CompiledTarget
from benchmarks.measuring.tables import markdown_table, rate

PORTION = 20_000
SHORT, LONG = 1.0, 10.0


@dataclass(frozen=True)
class WholeCampaigns:
    """Calls for each second of processor time: of a short and of a long campaign, and of forge, None without it."""

    name: str
    short: float
    long: float
    forge: float | None


def measure_whole_campaigns(
    compiled: Sequence[CompiledTarget],
    seconds: tuple[float, float],
    rounds: int,
    seed: int,
    forge: ForgeProject | None,
    forge_calls: int,
    progress: Callable[[str], None],
) -> list[WholeCampaigns]:
    """The best round of each. The contestants take turns. `seconds` are those of the two campaigns."""
    found = []
    for each in compiled:
        short, long, others = [], [], []
        for number in range(rounds):
            progress(f"{each.target.name}: round {number + 1} of {rounds}: whole campaigns")
            short.append(_campaign_rate(each, seconds[0], seed))
            if forge is not None:
                others.append(_forge_rate(forge, each, forge_calls, seed))
            long.append(_campaign_rate(each, seconds[1], seed))
        found.append(WholeCampaigns(each.target.name, max(short), max(long), max(others, default=None)))
    return found


def _campaign_rate(compiled: CompiledTarget, seconds: float, seed: int) -> float:
    """Imports and the load of the kernel are left out; everything else counts."""
    began = time.process_time()
    campaign, calls = LocalCampaign(compiled, seed), 0
    while time.process_time() - began < seconds:
        calls += campaign.fuzz(PORTION).calls
    rate = calls / (time.process_time() - began)
    if campaign.worker.hot_codes is not None:
        campaign.worker.hot_codes.close()
    return rate


def _forge_rate(forge: ForgeProject, compiled: CompiledTarget, calls: int, seed: int) -> float:
    """Its start is left out: what a run with hardly any calls takes."""
    least = forge.fuzz(compiled.target.invariants, 1, seed)
    whole = forge.fuzz(compiled.target.invariants, calls, seed)
    return (whole.calls - least.calls) / max(whole.cpu - least.cpu, 1e-3)


def whole_campaign_table(results: Sequence[WholeCampaigns], seconds: tuple[float, float]) -> list[str]:
    short, long = (f"{each:g} s" for each in seconds)
    return markdown_table(
        ("calls/s of processor time", short, long, "forge", f"{short} : forge", f"{long} : forge"),
        (
            (
                each.name,
                rate(each.short),
                rate(each.long),
                rate(each.forge),
                _ratio(each.short, each.forge),
                _ratio(each.long, each.forge),
            )
            for each in results
        ),
    )


def _ratio(own: float, forge: float | None) -> str:
    return "–" if forge is None else f"**{own / forge:.1f}**"
