"""`python -m benchmarks.profile`: where the time of a campaign goes."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.contestants.campaign import LocalCampaign
from benchmarks.contestants.harness import Harness
from benchmarks.contestants.replay import KernelReplay
from benchmarks.contestants.targets import TARGETS, compile_target
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.surroundings import describe
from benchmarks.measuring.tables import markdown_table, write_between_markers
from benchmarks.profiling import sampling
from benchmarks.profiling.harness_profile import profile_harness
from benchmarks.profiling.instruction_costs import measure_costs
from benchmarks.profiling.instruction_mix import Mix, measure_mix
from benchmarks.profiling.start_profile import profile_start
from simulator.errors import SimulatorError


@dataclass(frozen=True)
class Phases:
    """Nanoseconds of a call, best of interleaved rounds. `execution` is the replay of recorded calls of the same
    campaign, `without_oracles` the campaign with every test closed."""

    execution: float
    logging: float
    without_oracles: float
    whole: float


def measure_phases(campaign: LocalCampaign, unchecked: LocalCampaign, replay: KernelReplay, rounds: int) -> Phases:
    """The differential measurement: each row adds one thing to the one before."""
    for oracle in unchecked.worker.oracles:
        unchecked.worker.engine.oracles.set_open(oracle.id, False)
    best = [float("inf")] * 4
    for _ in range(rounds):
        for index, nanoseconds in enumerate(
            (
                _replay_nanoseconds(replay, log_comparisons=False),
                _replay_nanoseconds(replay, log_comparisons=True),
                _campaign_nanoseconds(unchecked, 20 * replay.calls),
                _campaign_nanoseconds(campaign, 20 * replay.calls),
            )
        ):
            best[index] = min(best[index], nanoseconds)
    return Phases(*best)


def _replay_nanoseconds(replay: KernelReplay, *, log_comparisons: bool) -> float:
    began = time.perf_counter()
    replay.run(log_comparisons=log_comparisons)
    return (time.perf_counter() - began) * 1e9 / replay.calls


def _campaign_nanoseconds(campaign: LocalCampaign, calls: int) -> float:
    spent = campaign.fuzz(calls)
    return spent.seconds * 1e9 / spent.calls


def phase_table(phases: Phases) -> list[str]:
    generation = phases.without_oracles - phases.execution
    rows = (
        ("execution of the calls, with coverage", phases.execution),
        ("generation, mutation, harvest, corpus, telemetry", generation),
        ("oracles", phases.whole - phases.without_oracles),
        ("a call of the campaign", phases.whole),
        ("(comparison log, were it on for every call)", phases.logging - phases.execution),
    )
    return markdown_table(
        ("by difference", "ns a call", "share"),
        ((name, f"{value:,.0f}", f"{100 * value / phases.whole:.0f}%") for name, value in rows),
    )


def mix_table(mix: Mix, costs: dict[str, float], execution: float) -> list[str]:
    rows, known = [], 0.0
    for name, count in mix.groups.most_common():
        each = count / mix.calls
        cost = costs.get(name)
        known += each * (cost or 0.0)
        rows.append(
            (
                name,
                f"{each:.1f}",
                "–" if cost is None else f"{cost:.1f}",
                "–" if cost is None else f"{each * cost:,.0f}",
            )
        )
    total = mix.instructions / mix.calls
    rows.append(
        (
            "the rest: dispatches not foreseen, transactions, keccak not in its cache, rows without a cost",
            "",
            "",
            f"{execution - known:,.0f}",
        )
    )
    rows.append(
        (
            f"a call, {mix.blocks / mix.calls:.0f} blocks",
            f"{total:.0f}",
            f"{execution / total:.1f}",
            f"{execution:,.0f}",
        )
    )
    return markdown_table(("instructions of a call", "number", "ns each, straight line", "ns"), rows)


def sample_table(shares: dict[str, dict[str, float]]) -> list[str]:
    concerns = next(iter(shares.values()))
    return markdown_table(
        ("by samples (perf)", *shares),
        ((name, *(f"{100 * each[name]:.1f}%" for each in shares.values())) for name in concerns),
    )


def profile_target(name: str, folder: Path, costs: dict[str, float], rounds: int, seconds: float) -> list[str]:
    """All three views of one contract."""
    compiled = compile_target(next(each for each in TARGETS if each.name == name), folder, compile_hot_code=False)
    campaign, unchecked = LocalCampaign(compiled, 1), LocalCampaign(compiled, 1)
    for each in (campaign, unchecked):
        each.fuzz(100_000)
    machine = campaign.worker.machine
    replay = KernelReplay(machine, campaign.record(100), campaign.worker.engine.recycle)
    phases = measure_phases(campaign, unchecked, replay, rounds)
    lines = [
        f"### {name}",
        "",
        *phase_table(phases),
        "",
        *mix_table(measure_mix(machine, replay), costs, phases.execution),
    ]
    if sampling.can_sample():
        work: dict[str, Callable[[], object]] = {
            "campaign": lambda: campaign.fuzz(replay.calls),
            "replay": lambda: replay.run(log_comparisons=False),
        }
        lines += [
            "",
            *sample_table({key: sampling.sample(machine.kernel, each, seconds) for key, each in work.items()}),
        ]
    return lines


@click.command(context_settings={"show_default": True})
@click.option(
    "--only", multiple=True, type=click.Choice([each.name for each in TARGETS]), help="These contracts alone."
)
@click.option("--rounds", default=5, type=click.IntRange(1), help="Rounds of the differential measurement.")
@click.option("--seconds", default=5.0, type=click.FloatRange(0.1), help="Time to sample for.")
@click.option(
    "--project",
    type=click.Path(path_type=Path),
    help="Profile the harness of this file or project instead.",
)
@click.option("--contract", metavar="NAME", help="With --project: the contract, as `monotreme fuzz` takes it.")
@click.option(
    "--config", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="With --project: its configuration."
)
@click.option("--test-mode", metavar="MODE", help="With --project: the test mode.")
@click.option("--calls", default=20_000, type=click.IntRange(1), help="With --project: calls to measure.")
@click.option("--from-start", is_flag=True, help="With --project: what the first --calls cost, in growing portions.")
@click.option("--seed", default=1, type=click.IntRange(0), help="With --project: the seed.")
@click.option(
    "--write", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Page to put the result into."
)
def main(
    only: Sequence[str], rounds: int, seconds: float, project: Path | None, contract: str | None, config: Path | None,
    test_mode: str | None, calls: int, from_start: bool, seed: int, write: Path | None,
) -> None:  # fmt: skip
    """Profile campaigns on this machine, which should do nothing else meanwhile, and print Markdown tables."""
    if project is None and (contract or config or test_mode or from_start):
        raise click.UsageError("--contract, --config, --test-mode and --from-start belong to --project")
    if project is not None and (only or write):
        raise click.UsageError("--only and --write are for the contracts of the benchmarks, not for --project")
    try:
        lines = [*(f"* {fact}" for fact in describe(None))]
        if project is not None:
            harness = Harness(project, contract, config, test_mode)
            with tempfile.TemporaryDirectory(prefix="monotreme-profile-") as folder:
                if from_start:
                    lines += ["", *profile_start(harness, Path(folder), calls, seed)]
                else:
                    lines += ["", *profile_harness(harness, Path(folder), calls, seed, seconds)]
            click.echo("\n".join(lines))
            return
        costs = measure_costs()
        with tempfile.TemporaryDirectory(prefix="monotreme-profile-") as folder:
            for each in TARGETS:
                if not only or each.name in only:
                    sys.stderr.write(f"{each.name}\n")
                    lines += ["", *profile_target(each.name, Path(folder), costs, rounds, seconds)]
        if write:
            write_between_markers(write, "profile", lines)
    except (BenchmarkError, SimulatorError) as error:
        raise click.ClickException(str(error)) from error
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
