"""Write the page about the search's techniques from two saved runs of `benchmarks.finding`.

`before` is a run of the commit before these techniques, `after` one with all of them; both with the same calls. What a
technique did is told by the targets that were planted for it, which others may have helped with; and by runs without
it, on targets that nothing was tuned on.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

import click
import msgspec

from benchmarks.finding import Results, chance, comparison
from benchmarks.measuring.tables import markdown_table

TITLE = "What helps the search"
PAGE = Path(__file__).parents[1] / "docs/concepts/what_helps.md"


@dataclass(frozen=True)
class Technique:
    """`targets` were planted for it."""

    name: str
    helps: str
    costs: str
    source: str
    targets: tuple[str, ...]


TECHNIQUES = (
    Technique(
        "numbers of earlier calls solved for comparisons of properties and later calls",
        "conditions on what functions stored, one conjunct after the other",
        "executions of single sequences, limited by gas",
        "REDQUEEN (NDSS 2019), Angora (S&P 2018), here through storage",
        ("two_slots", "three_slots", "four_slots", "shifted_packed", "fields_of_a_struct", "elements_of_an_array"),
    ),
    Technique(
        "waypoints: properties that reach new code, comparisons that come closer",
        "steps of which none covers anything new",
        "comparisons of properties are logged in one sequence of 32; trimming",
        "ItyFuzz (ISSTA 2023), directed greybox fuzzing (AFLGo, CCS 2017)",
        ("rounds_in_a_row", "digits_of_a_lock", "letters_of_a_word", "stairs_of_hashes", "nonces_in_order", "doubling"),
    ),
    Technique(
        "other calls inserted before one that waits for something, and appended to waypoints",
        "what is written before it is read, requirements on state",
        "as above",
        "MuFuzz (ICDE 2024), Foundry's corpus of reverting prefixes",
        ("requirements_on_state", "many_of_one", "three_counters"),
    ),
    Technique(
        "arguments of calls of the same sequence repeated",
        "structs, pairs and keys that several calls have to agree on",
        "one fresh call in sixteen",
        "Randoop (ICSE 2007), which reuses values within a test",
        ("order_hash", "same_pair_again", "commit_and_reveal", "two_keys_of_one_sender", "list_with_pointers"),
    ),
    Technique(
        "lengths, and bytes of byte strings and words, as numbers that are solved",
        "headers, prefixes, letters",
        "one execution for each byte of the call that is worked on",
        "REDQUEEN (NDSS 2019)",
        ("bytes_elements", "prefix_and_length", "header_of_bytes", "bytes_of_a_word", "letters_apart"),
    ),
    Technique(
        "climbing: steps that double while a distance shrinks or an optimization test's value grows",
        "nonlinear relations, peaks",
        "after everything that is solved at once",
        "pattern search (Hooke and Jeeves 1961)",
        ("square_of_a_slot", "hidden_peak", "two_sided_peak"),
    ),
    Technique(
        "sums and differences of dictionary words; hashed keys of mappings as words",
        "fees, limits, offsets from stored words",
        "one in sixteen of the integers that come from the dictionary",
        "Echidna's and forge's dictionaries",
        ("sum_of_constants", "less_than_stored", "key_of_a_mapping"),
    ),
    Technique(
        "signatures by keys that tests use, where `ecrecover` is handed a pattern",
        "permits, orders, meta-transactions",
        "a trace of each of the first calls that have room for a signature",
        "own",
        ("signed_permit",),
    ),
    Technique(
        "what one call hashes as an argument of another",
        "keys of mappings, orders, commitments",
        "at most 128 executions each time that waypoints are looked at again",
        "REDQUEEN's hints, here from hashes",
        ("key_of_a_mapping", "order_hash"),
    ),
    Technique(
        "turns of single sequences and of random ones",
        "what random calls find at once",
        "solved conditions come later by as many calls",
        "own",
        ("bytes_elements", "ledger_sum", "hash_of_a_constant", "window_of_two_times", "walk_in_a_maze"),
    ),
    Technique(
        "words behind two compared hashes, solved together",
        "texts, commitments, stored hashes",
        "256 bytes copied for each hash of other than two words",
        "REDQUEEN's hints, here behind hashes",
        ("revealed_text", "less_than_stored"),
    ),
    Technique(
        "calls that halt, held by place and tried in turn, with beginnings of sequences",
        "requirements of calls that are not the last, and of those that came first",
        "an execution for each call of a new entry of the corpus",
        "own; Foundry's corpus of reverting prefixes",
        ("asserted_slots", "requirements_on_state", "cancelled_proposal"),
    ),
    Technique(
        "values and senders replaced in whole sequences, arguments taken over in rows",
        "orders, roles and keys that several calls have to agree on",
        "one sequence in eleven, one fresh call in eight",
        "own",
        ("struct_and_part", "order_by_id", "scheduled_role"),
    ),
    Technique(
        "the last call of a waypoint, and the last two, repeated and solved",
        "rounds in a row, also of two calls each",
        "two tasks more for each waypoint",
        "own",
        ("combination_lock", "rounds_of_two", "streak_of_a_player", "prize_after_rounds"),
    ),
    Technique(
        "secants: lines through the last two numbers",
        "quotients, squares",
        "at most eight executions for each comparison that changes",
        "the secant method",
        ("quotient_of_a_slot",),
    ),
    Technique(
        "sequences of calls of one to three functions",
        "what every other function undoes",
        "one sequence in ten",
        "swarm testing (ISSTA 2012), Foundry's short episodes",
        ("many_of_one", "order_of_five", "three_counters"),
    ),
)


def _figures(before: Results, after: Results, targets: Sequence[str]) -> tuple[str, str, str, str]:
    """Found before, found after, ratio of calls, probability."""
    limit = min(before.limit, after.limit)
    known = {(run.target, run.seed): run for run in before.runs}
    pairs = [
        (known[key], run) for run in after.runs if run.target in targets and (key := (run.target, run.seed)) in known
    ]
    if not pairs:
        return ("–", "–", "–", "–")
    found = [sum(run.calls is not None for run in side) for side in zip(*pairs, strict=True)]
    logs = [log(min(new.calls or limit, limit) / min(old.calls or limit, limit)) for old, new in pairs]
    of = len(pairs)
    return (f"{found[0]}/{of}", f"{found[1]}/{of}", f"{exp(statistics.fmean(logs)):.3f}", f"{chance(logs):.4f}")


def _ablations(full: Results, ablated: Sequence[Results]) -> list[str]:
    """Return the effect of each technique when all others are there."""
    head = ("left out", "found with it", "found without", "calls without : with", "p", "most on")
    names = [run.target for run in full.runs]
    rows = [(each.without, *_figures(full, each, names), _most(full, each)) for each in ablated]
    found = len({run.target for run in full.runs if run.calls is not None})
    seeds = len({run.seed for run in full.runs})
    return [
        "## Held-out targets",
        "",
        f"On {len(set(names))} targets that were written when the techniques were done, and on which nothing was",
        f"tuned; {seeds} seeds, {full.limit:,} calls. Each row is a run without one technique, compared with one with",
        "all. `most on` is the target whose calls grow most.",
        "",
        *[f"* {line}" for line in full.surroundings],
        "",
        *(markdown_table(head, rows) if rows else ["No technique was left out in these runs."]),
        "",
        f"With all techniques, {found} of {len(set(names))} are found by some seed. No seed finds",
        ", ".join(_never_found(full)) + ".",
        "",
    ]


def _most(full: Results, ablated: Results) -> str:
    known = {(run.target, run.seed): run.calls or full.limit for run in full.runs}
    grown: dict[str, list[float]] = {}
    for run in ablated.runs:
        grown.setdefault(run.target, []).append(log((run.calls or ablated.limit) / known[run.target, run.seed]))
    target, logs = max(grown.items(), key=lambda item: statistics.fmean(item[1]))
    factor = exp(statistics.fmean(logs))
    return f"{target} ({factor:.1f})" if factor > 1 else "none"


def page(
    before: Results,
    after: Results,
    full: Results | None = None,
    ablated: Sequence[Results] = (),
    techniques: Sequence[Technique] = TECHNIQUES,
    title: str = TITLE,
) -> str:
    """The whole page, on these techniques."""
    head = ("technique", "found before", "found after", "calls after : before", "p")
    rows = [(each.name, *_figures(before, after, each.targets)) for each in techniques]
    details = [(each.name, each.helps, each.costs, each.source) for each in techniques]
    seeds = len({run.seed for run in after.runs})
    lines = [
        f"# {title}",
        "",
        "Written by `python -m benchmarks.what_helps BEFORE AFTER` from two files that",
        "`python -m benchmarks.finding --save FILE` wrote; with `--held-out` and `--without`, `--full FILE` and",
        "`--ablated FILE` add what each technique does by itself.",
        "",
        *[f"* before: {line}" for line in before.surroundings],
        *[f"* after: {line}" for line in after.surroundings],
        "",
        f"Each target has one planted bug, one worker and {seeds} seeds. A run ends when the bug is found, or after",
        f"{after.limit:,} calls; calls of solving, trimming and other single sequences count. Ratios are means of",
        "logarithms; p is the probability of such a difference by chance (paired permutation test).",
        "",
        "## Techniques",
        "",
        "Figures are those of the targets planted for a technique, with all techniques on; several of them often help",
        "together, and the figures do not tell them apart.",
        "",
        *markdown_table(("technique", "where it helps", "what it costs", "source"), details),
        "",
        *markdown_table(head, rows),
        "",
        *(_ablations(full, ablated) if full is not None else ()),
        "## Targets",
        "",
        *comparison(before, after),
        "",
        "Not found by any seed, with all techniques on:",
        ", ".join(_never_found(after)) + ".",
    ]
    return "\n".join(lines) + "\n"


def _never_found(results: Results) -> list[str]:
    found = {run.target for run in results.runs if run.calls is not None}
    return [name for name in dict.fromkeys(run.target for run in results.runs) if name not in found] or ["none"]


@click.command()
@click.argument("before", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("after", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--full", type=click.Path(path_type=Path), help="A run of the held-out targets with all techniques.")
@click.option("--ablated", type=click.Path(path_type=Path), multiple=True, help="The same without one of them.")
@click.option("--technique", multiple=True, help="Words of the names of the techniques that are new; else all are.")
@click.option("--title", default=TITLE, show_default=True, help="Of the page.")
@click.option("--to", default=PAGE, type=click.Path(path_type=Path), help="File to write.", show_default=True)
def main(
    before: Path,
    after: Path,
    full: Path | None,
    ablated: tuple[Path, ...],
    technique: tuple[str, ...],
    title: str,
    to: Path,
) -> None:
    """Write the page from saved runs."""
    whole = _read(full) if full is not None else None
    chosen = [each for each in TECHNIQUES if not technique or any(words in each.name for words in technique)]
    text = page(_read(before), _read(after), whole, [_read(path) for path in ablated], chosen, title)
    to.write_text(text, encoding="utf-8")


def _read(path: Path) -> Results:
    return msgspec.json.decode(path.read_bytes(), type=Results)


if __name__ == "__main__":
    main()
