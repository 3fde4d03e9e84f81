"""Calls that the search needs to find a bug, with one worker: calls until the tests of each target fail.

Calls of trimming and solving count too, though no budget of a campaign counts them.

Calls depend on the seed and on nothing else, so a busy machine changes the seconds and not the calls. Two settings, or
two commits, are compared target by target and seed by seed: `--save FILE` in each, then `--compare FILE FILE`.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import msgspec

from benchmarks.ablation import ABLATIONS, ablated_command
from benchmarks.contestants.worker_process import started_worker
from benchmarks.measuring.surroundings import describe
from benchmarks.measuring.tables import markdown_table
from orchestrator.assembly.wiring import WORKER_COMMAND
from simulator.compile import CompileOptions, choose_contract, compile_targets
from simulator.settings import CampaignSettings

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "tests/quality/targets", ROOT / "benchmarks/finding_targets")
HELD_OUT = ROOT / "benchmarks/held_out_targets"
"""Written when the techniques were done, and never tuned on."""
CALLS = 150_000
SEEDS = 10
RESAMPLES = 2_000
"""For the intervals of medians and for the paired test."""


class Run(msgspec.Struct, frozen=True):
    """One target with one seed. `calls` is None where a test still held after all calls."""

    target: str
    seed: int
    calls: int | None
    seconds: float


class Results(msgspec.Struct, frozen=True):
    """`without` names the technique that was left out, see `benchmarks.ablation`."""

    limit: int
    runs: tuple[Run, ...]
    surroundings: tuple[str, ...] = ()
    without: str = ""


@dataclass(frozen=True)
class FindingTarget:
    """`falsified` names the tests that are to fail."""

    name: str
    file: Path
    contract: str
    mode: str
    solc: str
    falsified: tuple[str, ...]
    all_contracts: bool

    def compile(self, folder: Path) -> tuple[Path, CampaignSettings]:
        """The project as a worker reads it, and the settings of its campaign. Raises `CompileError`."""
        project = compile_targets((self.file,), CompileOptions(solc_version=self.solc))
        path = folder / f"{self.name}.project"
        path.write_bytes(msgspec.msgpack.encode(project))
        contract = choose_contract(project, self.contract).contract
        values = {"test_mode": self.mode, "contract": contract.full_name, "all_contracts": self.all_contracts}
        return path, msgspec.convert(values, CampaignSettings)


def targets_of(folder: Path) -> Iterator[FindingTarget]:
    """The targets that the folder's `manifest.json` lists."""
    for entry in json.loads((folder / "manifest.json").read_text())["targets"]:
        if entry["falsified"]:
            yield _target(folder, entry)


def _target(folder: Path, entry: dict[str, Any]) -> FindingTarget:
    file = folder / entry["file"]
    return FindingTarget(
        file.stem,
        file,
        entry["contract"],
        entry["mode"],
        entry["solc"],
        tuple(entry["falsified"]),
        entry.get("allContracts", False),
    )


def run_target(target: FindingTarget, seeds: Sequence[int], limit: int, without: str = "") -> Iterator[Run]:
    command = ablated_command(without) if without else WORKER_COMMAND
    with TemporaryDirectory() as folder:
        project, settings = target.compile(Path(folder))
        for seed in seeds:
            with started_worker(command) as worker:
                worker.deploy(project, settings, seed)
                calls = worker.calls_until_falsified(frozenset(target.falsified), limit)
                yield Run(target.name, seed, calls, worker.cpu_seconds())


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the median by the bootstrap (Efron 1979)."""
    rng = random.Random(0)
    found = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return found[RESAMPLES // 40], found[-RESAMPLES // 40 - 1]


def chance(differences: Sequence[float]) -> float:
    """Probability of a sum at least as far from 0 if each sign were as likely as the other (a paired permutation test,
    two-sided)."""
    rng = random.Random(0)
    seen = abs(sum(differences))
    far = sum(abs(sum(rng.choice((-1, 1)) * each for each in differences)) >= seen - 1e-12 for _ in range(RESAMPLES))
    return (far + 1) / (RESAMPLES + 1)


def table(results: Results) -> list[str]:
    rows = []
    for target in dict.fromkeys(run.target for run in results.runs):
        runs = [run for run in results.runs if run.target == target]
        calls = [run.calls or results.limit for run in runs]
        low, high = interval(calls)
        found = sum(run.calls is not None for run in runs)
        seconds = f"{statistics.median(run.seconds for run in runs):.2f}"
        median = f"{statistics.median(calls):,.0f}"
        rows.append((target, f"{found}/{len(runs)}", median, f"{low:,.0f} to {high:,.0f}", seconds))
    return markdown_table(("target", "found", "median calls", "95 % interval", "median CPU s"), rows)


def comparison(before: Results, after: Results) -> list[str]:
    """By target, the ratio of calls after : before, and over all targets together."""
    limit = min(before.limit, after.limit)
    known = {(run.target, run.seed): run for run in before.runs}
    pairs = [(known[key], run) for run in after.runs if (key := (run.target, run.seed)) in known]
    rows, means = [], []
    for target in dict.fromkeys(run.target for _, run in pairs):
        own = [pair for pair in pairs if pair[1].target == target]
        logs = [log(min(new.calls or limit, limit) / min(old.calls or limit, limit)) for old, new in own]
        means.append(statistics.fmean(logs))
        found = [sum(run.calls is not None and run.calls <= limit for run in side) for side in zip(*own, strict=True)]
        rows.append((target, f"{found[0]}", f"{found[1]}", f"{_factor(means[-1])}", f"{chance(logs):.3f}"))
    rows.append(("all targets", "", "", f"**{_factor(statistics.fmean(means))}**", f"{chance(means):.3f}"))
    return markdown_table(("target", "found before", "found after", "calls after : before", "p"), rows)


def _factor(mean: float) -> str:
    return f"{2.718281828459045**mean:.2f}"


@click.command()
@click.option("--seeds", default=SEEDS, show_default=True, help="Seeds per target.")
@click.option("--calls", default=CALLS, show_default=True, help="Calls after which a run gives up.")
@click.option("--only", multiple=True, help="Names of targets; all where none is given.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the runs to this file.")
@click.option("--without", type=click.Choice(list(ABLATIONS)), default=None, help="A technique to leave out.")
@click.option("--held-out", is_flag=True, help="The targets that nothing was tuned on, instead of the others.")
@click.option("--compare", nargs=2, type=click.Path(path_type=Path), help="Compare two saved files, and run nothing.")
def main(
    seeds: int,
    calls: int,
    only: tuple[str, ...],
    save: Path | None,
    without: str | None,
    held_out: bool,
    compare: tuple[Path, Path] | None,
) -> None:
    """Print calls and CPU seconds until each target's tests fail."""
    if compare is not None:
        before, after = (msgspec.json.decode(path.read_bytes(), type=Results) for path in compare)
        click.echo("\n".join(comparison(before, after)))
        return
    runs: list[Run] = []
    folders = (HELD_OUT,) if held_out else FOLDERS
    targets = [each for folder in folders for each in targets_of(folder) if not only or each.name in only]
    for target in targets:
        runs += run_target(target, range(1, seeds + 1), calls, without or "")
        click.echo(f"{target.name}: {len(runs)} runs", err=True)
    surroundings = describe(None)
    results = Results(calls, tuple(runs), tuple(surroundings), without or "")
    if save is not None:
        save.write_bytes(msgspec.json.encode(results))
    click.echo("\n".join([*surroundings, "", *table(results)]))


if __name__ == "__main__":
    main()
