"""`python -m benchmarks.supervision`: what messages cost, what supervision takes, how soon a campaign is mended."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import trio

from benchmarks.contestants.bare_worker import fuzz_bare
from benchmarks.contestants.steered_campaign import SteeringTimes, measure_steering
from benchmarks.contestants.targets import CONFIGURATION, TARGETS, CompiledTarget, Target, compile_target
from benchmarks.contestants.whole_command import run_command
from benchmarks.measuring.actor_costs import (
    EventCosts,
    MessageCosts,
    PageCosts,
    measure_events,
    measure_messages,
    measure_pages,
)
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.rounds import Rates, interleave
from benchmarks.measuring.surroundings import describe
from benchmarks.measuring.tables import markdown_table, rate, write_between_markers
from benchmarks.profiling.command_share import Shares, measure_shares
from simulator.errors import SimulatorError

BUSY = 0.5
TARGET = TARGETS[0]
INJECTED = "transfer(0x20000, 5)"
PAGES = (20, 100)
BARE, ONE, TWO = "worker loop alone", "command, 1 worker", "command, 2 workers"


@dataclass(frozen=True)
class Sizes:
    """Sizes of everything: rounds of a comparison and calls a worker in each; messages in a round; entries of the
    corpus that is read; injections; killed workers; seconds to watch the processor."""

    rounds: int = 9
    calls: int = 20_000_000
    messages: int = 50_000
    entries: int = 2_000
    times: int = 40
    kills: int = 6
    seconds: int = 30


QUICK = Sizes(rounds=1, calls=300_000, messages=2_000, entries=50, times=3, kills=1, seconds=3)


def progress(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def compare(compiled: CompiledTarget, configuration: Path, sizes: Sizes, seed: int) -> dict[str, Rates]:
    """Calls per second without a process above the worker, below the command, and of two workers below it."""

    def bare() -> float:
        spent = fuzz_bare(compiled, calls=sizes.calls, seed=seed)
        return spent.calls / spent.seconds

    def command(workers: int) -> float:
        calls = workers * sizes.calls
        run = run_command(compiled.target, workers=workers, calls=calls, seed=seed, configuration=configuration)
        return run.calls / run.seconds

    contestants = {BARE: bare, ONE: lambda: command(1), TWO: lambda: command(2)}
    return interleave(contestants, sizes.rounds, progress)


def cost_table(messages: MessageCosts, events: EventCosts, pages: PageCosts) -> list[str]:
    rows = [
        ("`send`, received by another task", messages.send),
        ("`post`, received in batches", messages.post),
        ("`ask`, from the question to the answer", messages.ask),
        ("event into the log", events.append),
        ("its line in `events.jsonl`, in a thread", events.write),
    ]
    rows += [
        (f"page of {size} transactions, of {pages.transactions:,} in the corpus", seconds)
        for size, seconds in pages.pages.items()
    ]
    return markdown_table(("in one process", "µs"), ((name, f"{seconds * 1e6:,.1f}") for name, seconds in rows))


def running_table(times: SteeringTimes, shares: Shares) -> list[str]:
    rows = [
        ("`ask` of the campaign, from the question to the answer", *_times(times.asks)),
        ("inject until executed by both workers", *_times(times.injections)),
        ("`kill -9` of a worker until its successor executes", *_times(times.restarts)),
    ]
    share = (
        f"Over {shares.seconds:.0f} s the command itself took {100 * shares.command:.1f}% of one core, its two workers "
        f"{100 * shares.workers:.0f}%."
    )
    return [*markdown_table(("with two busy workers, ms", "median", "slowest", "times"), rows), "", share]


def _times(seconds: Sequence[float]) -> tuple[str, str, str]:
    if not seconds:
        return ("–", "–", "0")
    return f"{1000 * statistics.median(seconds):,.1f}", f"{1000 * max(seconds):,.1f}", str(len(seconds))


def comparison_table(rates: dict[str, Rates]) -> list[str]:
    head = ("calls/s", "best", "median", "against the row above, median of the rounds", "lowest to highest round")
    rows, above = [], None
    for name, each in rates.items():
        ratios = each.against(above) if above is not None else ()
        median = f"**{statistics.median(ratios):.3f}**" if ratios else ""
        rows.append((name, rate(each.best), rate(each.median), median, _span(ratios)))
        above = each
    return markdown_table(head, rows)


def _span(ratios: Sequence[float]) -> str:
    return f"{min(ratios):.3f} to {max(ratios):.3f}" if ratios else ""


def configure(folder: Path) -> Path:
    """The usual configuration without the priority manager's own shifts, so that the command's one worker makes the
    same calls as one without supervision."""
    path = folder / "campaign.yaml"
    path.write_text(f"{CONFIGURATION.read_text()}automaticPriorities: false\n")
    return path


def measure(target: Target, sizes: Sizes, seed: int) -> list[str]:
    """Everything, as lines of Markdown."""
    facts = describe(None)
    with tempfile.TemporaryDirectory(prefix="monotreme-benchmark-") as name:
        folder = Path(name)
        configuration = configure(folder)
        compiled = compile_target(target, folder)
        run_command(target, workers=1, calls=1000, seed=seed)  # Builds the kernel where it is missing.
        progress("messages, events, pages")
        messages = trio.run(measure_messages, sizes.messages, sizes.rounds)
        events = measure_events(folder, sizes.rounds)
        pages = trio.run(measure_pages, sizes.entries, PAGES, 10 * sizes.rounds)
        progress("asks, injections, kills")
        times = measure_steering(
            target, configuration, folder, times=sizes.times, kills=sizes.kills, call=INJECTED, seed=seed
        )
        progress("share of the processor")
        shares = measure_shares(target, configuration, folder / "watched", workers=2, seconds=sizes.seconds)
        rates = compare(compiled, configuration, sizes, seed)
    origin = (
        f"`python -m benchmarks.supervision`, {target.name}, seed {seed}. Messages: best of {sizes.rounds} rounds "
        f"of {sizes.messages:,}. Calls: {sizes.rounds} interleaved rounds of {sizes.calls:,} for each worker."
    )
    return [
        origin, "", *(f"* {fact}" for fact in facts), "",
        *cost_table(messages, events, pages), "", *running_table(times, shares), "", *comparison_table(rates),
    ]  # fmt: skip


@click.command(context_settings={"show_default": True})
@click.option("--rounds", default=Sizes.rounds, type=click.IntRange(1), help="Rounds of each comparison.")
@click.option("--calls", default=Sizes.calls, type=click.IntRange(1000), help="Calls of a worker in a round.")
@click.option("--times", default=Sizes.times, type=click.IntRange(1), help="Asks and injections.")
@click.option("--kills", default=Sizes.kills, type=click.IntRange(0), help="Workers to kill.")
@click.option("--seconds", default=Sizes.seconds, type=click.IntRange(1), help="Time to watch the processor for.")
@click.option("--seed", default=1)
@click.option("--quick", is_flag=True, help="Small sizes, to see that everything works. The figures mean nothing.")
@click.option(
    "--write", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Page to put the result into."
)
def main(
    rounds: int, calls: int, times: int, kills: int, seconds: int, seed: int, quick: bool, write: Path | None
) -> None:
    """Measure on this machine, which should do nothing else meanwhile, and print Markdown tables."""
    sizes = QUICK if quick else Sizes(rounds, calls, times=times, kills=kills, seconds=seconds)
    if os.getloadavg()[0] > BUSY:
        progress("this machine is busy: the figures will be too high, and the ratios unfair")
    try:
        lines = measure(TARGET, sizes, seed)
        if write:
            write_between_markers(write, "supervision", lines)
    except (BenchmarkError, SimulatorError) as error:
        raise click.ClickException(str(error)) from error
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
