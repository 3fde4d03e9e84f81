r"""Does steering pay? Campaigns whose bugs an undirected search hardly finds, with and without the scripted agent.

python -m benchmarks.directed                          # 60 s on two workers, 5 seeds
python -m benchmarks.directed --calls 20000000         # by calls, for a machine that does other things besides
python -m benchmarks.directed --targets finding --calls 150000 --workers 1     # ordinary targets
python -m benchmarks.directed --write docs/concepts/autopilot.md
python -m benchmarks.directed --targets finding --calls 150000 --workers 1 \
    --write docs/decisions/0009-the-autopilot-is-asked-for.md

Both sides are whole campaigns, compiled, deployed and started anew, with the same seeds and the same budget. The agent
has nothing but the tools; its time and its calls of tools count, and the processor that it takes is missing to the
workers. A campaign ends when the target's test fails.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import msgspec

from benchmarks.finding import FOLDERS, FindingTarget, targets_of
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.surroundings import describe
from benchmarks.measuring.tables import markdown_table, write_between_markers
from orchestrator.autopilot.service import AutopilotService, unserved
from orchestrator.campaign import ProgramPorts, run_campaign
from orchestrator.campaign_service import NoService
from orchestrator.configuration.decide import DecisionInputs, make_request
from orchestrator.configuration.layers import flag_layer
from orchestrator.configuration.request import CampaignRequest
from orchestrator.configuration.resolve import resolve

ROOT = Path(__file__).parents[1]
DIRECTED = ROOT / "benchmarks/directed_targets"
SECONDS = 60.0
SEEDS = 5
WORKERS = 2
SIDES = ("undirected", "autopilot")


class Steered(msgspec.Struct, frozen=True):
    """One campaign. `calls` and `seconds` are what it took to the bug, or to the end of the budget where not `found`;
    seconds are those of fuzzing."""

    target: str
    seed: int
    side: str
    found: bool
    calls: int
    seconds: float


class SteeredResults(msgspec.Struct, frozen=True):
    """`budget` in words."""

    budget: str
    runs: tuple[Steered, ...]
    surroundings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Budget:
    """Budget of each campaign: seconds, or calls where `calls` is given."""

    workers: int
    seconds: float
    calls: int | None

    @property
    def text(self) -> str:
        amount = f"{self.calls:,} calls" if self.calls is not None else f"{self.seconds:g} s"
        return f"{amount} on {self.workers} worker{'s' if self.workers > 1 else ''}"


def run_side(target: FindingTarget, seed: int, side: str, budget: Budget) -> Steered:
    request = _request(target, seed, budget)
    service = AutopilotService(unserved(request.configuration), serves=False) if side == "autopilot" else NoService()
    outcome = run_campaign(request, ports=ProgramPorts(service=service))
    if outcome.error is not None:
        raise outcome.error
    if outcome.exit_code not in (0, 1):
        raise BenchmarkError(f"{target.name}: the campaign ended early: {outcome.report.campaign.stop_reason}")
    failed = {test.name.partition("(")[0] for test in outcome.report.tests if test.findings or test.reproducer}
    campaign = outcome.report.campaign
    wanted = {name.partition("(")[0].rpartition(".")[2] for name in target.falsified}
    return Steered(target.name, seed, side, wanted <= failed, campaign.calls, campaign.duration)


def _request(target: FindingTarget, seed: int, budget: Budget) -> CampaignRequest:
    values = {
        "contract": (target.contract,),
        "testMode": target.mode,
        "solcVersion": target.solc,
        "seed": str(seed),
        "workers": str(budget.workers),
        "shrinkLimit": "0",
        "stopOnFail": len(target.falsified) == 1,
        "allContracts": target.all_contracts,
        "quiet": True,
        "timeout": str(budget.seconds) if budget.calls is None else None,
        "testLimit": str(budget.calls) if budget.calls is not None else None,
    }
    configuration = resolve([flag_layer({key: (key, value) for key, value in values.items()})]).configuration
    surroundings = DecisionInputs.observe()
    request = make_request((target.file,), configuration, surroundings)
    return replace(request, format="none", display="none")


def run_all(targets: Sequence[FindingTarget], seeds: Sequence[int], budget: Budget) -> Iterator[Steered]:
    """Both sides of a seed one after the other, so that a slow phase of the machine meets both."""
    for target in targets:
        for seed in seeds:
            for side in SIDES:
                yield run_side(target, seed, side, budget)


def table(results: SteeredResults) -> list[str]:
    head = ["target"]
    for side in SIDES:
        head += [f"{side}: found", "median calls", "median s"]
    head += ["times fewer calls", "times faster"]
    rows = []
    for target in dict.fromkeys(run.target for run in results.runs):
        row = [target]
        sides = [_of(results, target, side) for side in SIDES]
        for runs in sides:
            found = sum(run.found for run in runs)
            more = ">" if 2 * found <= len(runs) else ""
            row += [
                f"{found}/{len(runs)}",
                f"{more}{_median(runs, 'calls'):,.0f}",
                f"{more}{_median(runs, 'seconds'):.1f}",
            ]
        row += [_factor(sides, "calls"), _factor(sides, "seconds")]
        rows.append(row)
    return markdown_table(head, rows)


def _of(results: SteeredResults, target: str, side: str) -> list[Steered]:
    return [run for run in results.runs if run.target == target and run.side == side]


def _median(runs: Sequence[Steered], measure: str) -> float:
    return statistics.median(float(getattr(run, measure)) for run in runs)


def _ratio(sides: Sequence[Sequence[Steered]], measure: str) -> float:
    return _median(sides[0], measure) / max(_median(sides[1], measure), 1e-3)


def _factor(sides: Sequence[Sequence[Steered]], measure: str) -> str:
    """A campaign that found nothing would have taken longer than its budget."""
    missing = [2 * sum(run.found for run in runs) <= len(runs) for runs in sides]
    sign = {(False, False): "", (True, False): "> ", (False, True): "< ", (True, True): "? "}[missing[0], missing[1]]
    return f"{sign}{_ratio(sides, measure):,.1f}"


def summary(results: SteeredResults) -> str:
    names = list(dict.fromkeys(run.target for run in results.runs))
    pairs = [[_of(results, name, side) for side in SIDES] for name in names]
    shares = [
        f"{sum(run.found for run in results.runs if run.side == side)} of"
        f" {sum(run.side == side for run in results.runs)} campaigns {word}"
        for side, word in zip(SIDES, ("undirected", "with the autopilot"), strict=True)
    ]
    calls = statistics.median(_ratio(pair, "calls") for pair in pairs)
    seconds = statistics.median(_ratio(pair, "seconds") for pair in pairs)
    return (
        f"The bug was found by {shares[0]}, and by {shares[1]}. In the median of the {len(names)} targets the autopilot"
        f" took {calls:,.1f} times fewer calls and was {seconds:,.1f} times faster, where a campaign that found nothing"
        " counts with its budget."
    )


@click.command()
@click.option("--seconds", default=SECONDS, show_default=True, help="Of fuzzing in each campaign.")
@click.option("--calls", type=int, help="Calls of each campaign, in place of seconds.")
@click.option("--workers", default=WORKERS, show_default=True)
@click.option("--seeds", default=SEEDS, show_default=True, help="Seeds per target.")
@click.option("--targets", type=click.Choice(["directed", "finding"]), default="directed", show_default=True)
@click.option("--only", multiple=True, help="Names of targets; all where none is given.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the runs to this file.")
@click.option("--write", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Page for the result.")
def main(
    seconds: float,
    calls: int | None,
    workers: int,
    seeds: int,
    targets: str,
    only: tuple[str, ...],
    save: Path | None,
    write: Path | None,
) -> None:
    """Run both sides and print a Markdown table."""
    budget = Budget(workers, seconds, calls)
    folders = (DIRECTED,) if targets == "directed" else FOLDERS
    chosen = [each for folder in folders for each in targets_of(folder) if not only or each.name in only]
    runs: list[Steered] = []
    for run in run_all(chosen, range(1, seeds + 1), budget):
        runs.append(run)
        verdict = f"found after {run.calls:,} calls" if run.found else "not found"
        click.echo(f"{run.target}, seed {run.seed}, {run.side}: {verdict}, {run.seconds:.1f} s", err=True)
    results = SteeredResults(budget.text, tuple(runs), tuple(describe(None)))
    if save is not None:
        save.write_bytes(msgspec.json.encode(results))
    lines = [
        f"`python -m benchmarks.directed --targets {targets}`, {budget.text}, {seeds} seeds.",
        "",
        *(f"* {fact}" for fact in results.surroundings),
        "",
        *table(results),
        "",
        summary(results),
    ]
    if write:
        write_between_markers(write, "directed", lines)
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
