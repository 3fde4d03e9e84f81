"""The results of a contest as Markdown: the kernel, whole campaigns, start and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.contestants.contest import CAMPAIGN, FORGE, KERNEL, ONE_WORKER, REVM, TWO_WORKERS, ContestResult
from benchmarks.contestants.worker_process import Memory
from benchmarks.measuring.tables import markdown_table, rate


@dataclass(frozen=True)
class StartFigures:
    """Seconds, and the memory of one long-running worker."""

    cold: float | None
    warm: float | None
    ready: float
    first_call: float
    memory: Sequence[Memory]


def _best(result: ContestResult, name: str) -> str:
    return rate(result.rates[name].best if name in result.rates else None)


def _ratio(result: ContestResult, above: str, below: str) -> str:
    value = result.ratio(above, below)
    return "–" if value is None else f"**{value:.1f}**"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}%"


def kernel_table(results: Sequence[ContestResult]) -> list[str]:
    head = ("calls/s, one core", "calls compared", "succeed", "kernel", "pyrevm", "kernel : pyrevm")
    return markdown_table(
        head,
        (
            (
                f"{result.compiled.target.name} ({result.compiled.target.kind})",
                f"{result.recorded:,}",
                f"{result.succeeded:,}",
                _best(result, KERNEL),
                _best(result, REVM),
                _ratio(result, KERNEL, REVM),
            )
            for result in results
        ),
    )


def campaign_table(results: Sequence[ContestResult]) -> list[str]:
    head = (
        "calls/s", "campaign", "command, 1 worker", "command, 2 workers", "forge", "campaign : forge",
        "1 worker : forge", "2 workers : 1", "reverted", "reverted, forge",
    )  # fmt: skip
    return markdown_table(
        head,
        (
            (
                result.compiled.target.name,
                _best(result, CAMPAIGN),
                _best(result, ONE_WORKER),
                _best(result, TWO_WORKERS),
                _best(result, FORGE),
                _ratio(result, CAMPAIGN, FORGE),
                _ratio(result, ONE_WORKER, FORGE),
                _ratio(result, TWO_WORKERS, ONE_WORKER),
                _share(result.reverted),
                _share(result.forge_reverted),
            )
            for result in results
        ),
    )


def start_table(figures: StartFigures) -> list[str]:
    rows = [
        ("worker process: start to ready", f"{figures.ready:.2f} s"),
        ("`monotreme fuzz`, not for the first time: start to first executed call", f"{figures.first_call:.2f} s"),
    ]
    if figures.warm is not None and figures.cold is not None:
        rows[:0] = [
            ("kernel, compiled from an empty cache", f"{figures.cold:.1f} s"),
            ("kernel, loaded in a fresh process, imports included", f"{figures.warm:.2f} s"),
        ]
    rows += [
        (f"private memory of a worker after {each.calls / 1e6:,.1f} M calls", f"{each.private / 2**20:.0f} MB")
        for each in figures.memory
    ]
    return markdown_table(("start and memory", ""), rows)
