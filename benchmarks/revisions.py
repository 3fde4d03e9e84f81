"""`python -m benchmarks.revisions BEFORE AFTER`: whole campaigns of two revisions in turns, and what they cost."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from benchmarks.contestants.revision import Revision, check_out
from benchmarks.contestants.targets import TARGETS, Target
from benchmarks.contestants.whole_command import CommandRun, run_command
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.rounds import interleave
from benchmarks.measuring.surroundings import TOLERATED, ForeignLoad, describe
from benchmarks.measuring.tables import between_markers, markdown_table, write_between_markers

QUICK_ROUNDS, QUICK_CALLS = 2, 20_000
TITLES = ("contract", "processor time", "its range", "time by the clock", "its range", "calls", "foreign load")


def progress(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def compare(target: Target, revisions: Sequence[Revision], calls: int, rounds: int, seed: int) -> tuple[str, ...]:
    """A row of the table. A whole campaign of each goes before: it leaves kernel and contracts' code in the cache."""
    runs: dict[str, list[CommandRun]] = {each.label: [] for each in revisions}

    def measure(revision: Revision) -> float:
        run = run_command(target, workers=1, calls=calls, seed=seed, python=revision.python)
        runs[revision.label].append(run)
        return run.calls / run.cpu

    for each in revisions:
        progress(f"{target.name}: warming up {each.label}")
        run_command(target, workers=1, calls=calls, seed=seed, python=each.python)
    load = ForeignLoad()
    contestants = {each.label: partial(measure, each) for each in revisions}
    interleave(contestants, rounds, lambda text: progress(f"{target.name}: {text}"))
    return table_row(target.name, runs["before"], runs["after"], load.cores())


def table_row(name: str, before: Sequence[CommandRun], after: Sequence[CommandRun], foreign: float) -> tuple[str, ...]:
    """Ratios are those of one round each, the later revision over the earlier one: above 1 it takes longer."""
    cpu = [new.cpu / old.cpu for old, new in zip(before, after, strict=True)]
    wall = [new.wall / old.wall for old, new in zip(before, after, strict=True)]
    calls = " → ".join(f"{round(statistics.mean(run.calls for run in runs)):,}" for runs in (before, after))
    mark = f"**{foreign:.1f} cores**" if foreign > TOLERATED else "none"
    return (name, *_median_and_range(cpu), *_median_and_range(wall), calls, mark)


def _median_and_range(ratios: Sequence[float]) -> tuple[str, str]:
    return f"{statistics.median(ratios):.3f}", f"{min(ratios):.3f} to {max(ratios):.3f}"


@click.command(context_settings={"show_default": True})
@click.argument("before")
@click.argument("after")
@click.option("--rounds", default=7, type=click.IntRange(1), help="Rounds; medians of their ratios count.")
@click.option("--calls", default=3_000_000, type=click.IntRange(1000), help="Calls of a campaign.")
@click.option("--seed", default=1)
@click.option(
    "--only", multiple=True, type=click.Choice([each.name for each in TARGETS]), help="These contracts alone."
)
@click.option("--quick", is_flag=True, help="Small sizes, to see that everything works. The figures mean nothing.")
@click.option(
    "--write", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Page to put the result into."
)
def main(
    before: str, after: str, rounds: int, calls: int, seed: int, only: tuple[str, ...], quick: bool,
    write: Path | None,
) -> None:  # fmt: skip
    """Run whole campaigns of two revisions of this repository in turns, and print what AFTER costs as a multiple of
    BEFORE.

    Both run with the present interpreter and its packages, on the contracts of the present tree, in their own source
    trees below a temporary folder. A ratio covers everything between the two revisions, not one change alone.
    """
    rounds, calls = (QUICK_ROUNDS, QUICK_CALLS) if quick else (rounds, calls)
    chosen = [each for each in TARGETS if not only or each.name in only]
    facts = describe(None)
    load = ForeignLoad()
    try:
        if write:
            between_markers(write, "revisions")
        with tempfile.TemporaryDirectory(prefix="monotreme-revisions-") as folder:
            revisions = [
                check_out(name, Path(folder) / label, label) for name, label in ((before, "before"), (after, "after"))
            ]
            rows = [compare(each, revisions, calls, rounds, seed) for each in chosen]
        lines = [
            f"`python -m benchmarks.revisions {revisions[0].commit} {revisions[1].commit}`: {rounds} interleaved rounds"
            f" of whole campaigns, {calls:,} calls, one worker, seed {seed}. Ratios are after over before, by their"
            " median: above 1 the later revision takes longer.",
            "",
            *(f"* {fact}" for fact in facts),
            "",
            *markdown_table(TITLES, rows),
            *load.warning(),
        ]
        if write:
            write_between_markers(write, "revisions", lines)
    except BenchmarkError as error:
        raise click.ClickException(str(error)) from error
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
