"""`python -m benchmarks.throughput`: calls per second of the kernel and of whole campaigns, against revm and forge."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.contestants.contest import Contest, ContestResult, Sizes, forge_project
from benchmarks.contestants.forge import ForgeProject, find_forge
from benchmarks.contestants.harness import HARNESSES, Harness, HarnessCampaign, compile_harness
from benchmarks.contestants.result_tables import StartFigures, campaign_table, kernel_table, start_table
from benchmarks.contestants.targets import TARGETS, CompiledTarget, compile_target
from benchmarks.contestants.whole_campaigns import LONG, SHORT, measure_whole_campaigns, whole_campaign_table
from benchmarks.contestants.whole_command import run_command, seconds_to_first_call
from benchmarks.contestants.worker_process import memory_over, seconds_to_ready
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.surroundings import ForeignLoad, describe
from benchmarks.measuring.tables import (
    markdown_table,
    write_between_markers,
)
from benchmarks.profiling.kernel_start import kernel_seconds
from simulator.errors import SimulatorError

BUSY = 0.5
QUICK = Sizes(rounds=2, sequences=20, campaign_calls=50_000, command_calls=50_000, forge_calls=2_000)
QUICK_SECONDS = (0.1, 0.2)
START_ROUNDS = 3


def progress(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def measure_contracts(
    compiled: Sequence[CompiledTarget], sizes: Sizes, seed: int, forge: ForgeProject | None
) -> list[ContestResult]:
    """All contracts, one after the other, each with its contestants interleaved."""
    return [Contest(each, sizes, seed, forge).run(progress) for each in compiled]


def measure_start(compiled: CompiledTarget, folder: Path, seed: int, memory_calls: int, cold: bool) -> StartFigures:
    """Starts and memory, on one contract."""
    kernel: tuple[float | None, float | None] = (None, None)
    if cold:
        progress("compiling the kernel from an empty cache")
        kernel = kernel_seconds(START_ROUNDS)
    progress("starting workers and commands")
    run_command(compiled.target, workers=1, calls=1000, seed=seed)
    ready = min(seconds_to_ready(compiled, seed) for _ in range(START_ROUNDS))
    first = min(seconds_to_first_call(compiled.target, folder / f"run{n}", seed) for n in range(START_ROUNDS))
    progress(f"memory over {memory_calls:,} calls")
    memory = memory_over(compiled, memory_calls, seed) if memory_calls else []
    return StartFigures(kernel[0], kernel[1], ready, first, memory)


def measure_harness(harness: Harness, calls: int, rounds: int, seed: int) -> tuple[str, ...]:
    """A row: the best round by the clock and the best by processor time, behind as many calls as a round has."""
    with tempfile.TemporaryDirectory(prefix="monotreme-benchmark-") as folder:
        compiled = compile_harness(harness, Path(folder))
        campaign = HarnessCampaign(compiled, seed)
    campaign.fuzz(calls)
    if campaign.worker.hot_codes is not None:
        campaign.worker.hot_codes.wait()
    spent = [campaign.fuzz(calls) for _ in range(rounds)]
    engine = campaign.worker.engine
    return (
        compiled.target.name,
        str(campaign.contracts),
        f"{max(each.calls / each.seconds for each in spent):,.0f}",
        f"{max(each.calls / each.cpu for each in spent):,.0f}",
        f"{100 * engine.reverted / engine.calls:.0f}%",
    )


def harness_table(projects: Path, calls: int, rounds: int, seed: int) -> list[str]:
    """Harnesses of real projects below a folder. What is not there is left out, with a sentence."""
    rows, missing = [], []
    for folder, harness in HARNESSES:
        if (projects / folder).is_dir():
            progress(f"{folder}: {harness.contract}")
            rows.append(measure_harness(harness.below(projects / folder), calls, rounds, seed))
        else:
            missing += ["", f"{harness.contract} is left out: there is no {folder} in the folder of projects."]
    titles = ("harness, one core", "contracts", "calls/s by the clock", "calls/s of processor time", "reverted")
    return [*(markdown_table(titles, rows) if rows else []), *missing]


@click.command(context_settings={"show_default": True})
@click.option("--rounds", default=5, type=click.IntRange(1), help="Rounds; the best of each contestant counts.")
@click.option("--sequences", default=200, type=click.IntRange(1), help="Recorded sequences of 100 calls.")
@click.option("--calls", default=2_000_000, type=click.IntRange(1000), help="Calls of a campaign in a round.")
@click.option(
    "--command-calls", default=4_000_000, type=click.IntRange(0), help="The same for each worker of a command."
)
@click.option("--forge-calls", default=60_000, type=click.IntRange(100), help="Calls of forge in a round.")
@click.option("--memory-calls", default=20_000_000, type=click.IntRange(0), help="Calls of the memory run; 0: none.")
@click.option("--forge", metavar="FILE", help="forge's binary; else $FORGE or forge of PATH.")
@click.option(
    "--only", multiple=True, type=click.Choice([each.name for each in TARGETS]), help="These contracts alone."
)
@click.option("--seed", default=1)
@click.option("--cold/--no-cold", default=True, help="Compile the kernel from an empty cache once.")
@click.option("--interpret", is_flag=True, help="Let no contract code be compiled (`compileHotCode: false`).")
@click.option(
    "--projects",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of real projects: measure their harnesses too, see HARNESSES in benchmarks/harness.py.",
)
@click.option("--harness-calls", default=200_000, type=click.IntRange(1), help="Calls of such a harness in a round.")
@click.option("--quick", is_flag=True, help="Small sizes, to see that everything works. The figures mean nothing.")
@click.option(
    "--write", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Page to put the result into."
)
def main(
    rounds: int, sequences: int, calls: int, command_calls: int, forge_calls: int, memory_calls: int,
    forge: str | None, only: tuple[str, ...], seed: int, cold: bool, interpret: bool, projects: Path | None,
    harness_calls: int, quick: bool, write: Path | None,
) -> None:  # fmt: skip
    """Measure on this machine, which should do nothing else meanwhile, and print Markdown tables."""
    sizes = QUICK if quick else Sizes(rounds, sequences, calls, command_calls, forge_calls)
    if os.getloadavg()[0] > BUSY:
        progress("this machine is busy: the figures will be too low, and the ratios of commands unfair")
    load = ForeignLoad()
    try:
        seconds = QUICK_SECONDS if quick else (SHORT, LONG)
        memory_calls, cold = (100_000, False) if quick else (memory_calls, cold)
        lines = measure(sizes, memory_calls, forge, only, seed, cold, interpret, seconds)
        if projects is not None:
            lines += ["", *harness_table(projects, 1000 if quick else harness_calls, sizes.rounds, seed)]
        lines += load.warning()
        if write:
            write_between_markers(write, "throughput", lines)
    except (BenchmarkError, SimulatorError) as error:
        raise click.ClickException(str(error)) from error
    click.echo("\n".join(lines))


def measure(
    sizes: Sizes, memory_calls: int, forge: str | None, only: tuple[str, ...], seed: int, cold: bool, interpret: bool,
    seconds: tuple[float, float],
) -> list[str]:  # fmt: skip
    """Everything, as lines of Markdown. With `interpret`, kernel and campaign compile no contract code."""
    with tempfile.TemporaryDirectory(prefix="monotreme-benchmark-") as name:
        folder = Path(name)
        binary = find_forge(forge)
        chosen = [each for each in TARGETS if not only or each.name in only]
        compiled = [compile_target(each, folder, compile_hot_code=not interpret) for each in chosen]
        project = forge_project(binary, folder, compiled[0]) if binary else None
        facts = describe(project.version if project else None)
        results = measure_contracts(compiled, sizes, seed, project)
        whole = measure_whole_campaigns(compiled, seconds, sizes.rounds, seed, project, sizes.forge_calls, progress)
        start = measure_start(compiled[0], folder, seed, memory_calls, cold)
    origin = (
        f"`python -m benchmarks.throughput`, best of {sizes.rounds} interleaved rounds, seed {seed}. A round: "
        f"{sizes.sequences} recorded sequences, {sizes.campaign_calls:,} calls of a campaign, "
        f"{sizes.command_calls:,} calls a worker of a command, {sizes.forge_calls:,} calls of forge."
    )
    return [
        origin, "", *(f"* {fact}" for fact in facts), "",
        *kernel_table(results), "", *campaign_table(results), "", *whole_campaign_table(whole, seconds), "",
        *start_table(start),
    ]  # fmt: skip


if __name__ == "__main__":
    main()
