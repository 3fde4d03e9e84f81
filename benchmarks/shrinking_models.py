"""Hypothesis' shrinker on models of some of the cases of `benchmarks.shrinking`, from failures that it finds itself.

`python -m benchmarks.shrinking_models` prints the table of docs/concepts/shrinking.md; `--write` puts it there.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import median
from typing import Any

from hypothesis import HealthCheck, find, settings
from hypothesis import strategies as st

from benchmarks.measuring.tables import markdown_table, write_between_markers
from benchmarks.shrinking import PAGE, SEEDS

EXAMPLES = 20_000
WORD = st.integers(0, 2**256 - 1)
SIGNED = st.integers(-(2**255), 2**255 - 1)
SETTINGS = settings(max_examples=EXAMPLES, database=None, deadline=None, suppress_health_check=list(HealthCheck))


@dataclass(frozen=True)
class Model:
    """Model of a contract: what it takes, when it fails, and the simplest input that makes it."""

    name: str
    inputs: st.SearchStrategy[Any]
    fails: Callable[[Any], bool]
    optimum: Any


def _calls(amounts: st.SearchStrategy[int]) -> st.SearchStrategy[list[int]]:
    return st.lists(amounts, min_size=1, max_size=100)


MODELS = (
    Model("Bound", WORD, lambda a: a > 100, 101),
    Model("OddBound", WORD, lambda a: a > 100 and a % 2 == 1, 101),
    Model("SumModulus", _calls(st.integers(0, 10**20 - 1)), lambda a: sum(a) >= 5000 and sum(a) % 7 == 3, [5001]),
    Model("Modulus", WORD, lambda a: a > 1000 and a % 97 == 13, 1080),
    Model("TwoModuli", WORD, lambda a: a > 500 and a % 3 == 1 and a % 5 == 2, 502),
    Model("TwoRemainders", WORD, lambda a: a > 100 and a % 10 in (3, 7), 103),
    Model("Ordered", st.tuples(WORD, WORD, WORD), lambda t: 50 < t[0] < t[1] < t[2], (51, 52, 53)),
    Model("Product", st.tuples(*[st.integers(0, 200)] * 2), lambda t: t[0] * t[1] > 10_000, (51, 197)),
    Model("SumOverCalls", _calls(st.integers(0, 255)), lambda a: sum(a) >= 1000, [235, 255, 255, 255]),
    Model("ArraySum", _calls(st.integers(0, 400)), lambda a: sum(a) >= 1000, [200, 400, 400]),
    Model("Negative", SIGNED, lambda x: x < -100, -101),
    Model("Square", st.integers(-(10**9), 10**9), lambda x: x * x > 10_000, 101),
    Model("NegativeModulus", SIGNED, lambda x: x < -100 and -x % 7 == 4, -102),
    Model("Element", st.lists(WORD), lambda a: any(x > 500 for x in a), [501]),
    Model("Unsorted", st.lists(WORD), lambda a: any(x > y for x, y in pairwise(a)), [1, 0]),
    Model("Duplicate", st.lists(WORD), lambda a: any(x == y > 10 for x, y in pairwise(a)), [11, 11]),
    Model("TextLength", st.text(), lambda s: len(s) > 5, "000000"),
    Model("ByteBound", st.binary(), lambda b: len(b) >= 3 and b[2] >= 0x80, b"\0\0\x80"),
    Model("Checksum", st.binary(), lambda b: len(b) >= 4 and sum(b) % 16 == 7, b"\0\0\0\7"),
    Model("Ascending", st.lists(WORD), lambda a: len(a) >= 3 and a[0] < a[1] < a[2], [0, 1, 2]),
)


def shrink(model: Model, seed: int) -> tuple[Any, int]:
    """Run Hypothesis, and return its result and the executions after the first failure."""
    after_failure = 0

    def check(candidate: Any) -> bool:
        nonlocal after_failure
        fails = model.fails(candidate)
        after_failure += bool(after_failure or fails)
        return fails

    return find(model.inputs, check, settings=SETTINGS, random=Random(seed)), after_failure - 1


def table() -> list[str]:
    """A row for each model, with `SEEDS` failures each."""
    rows, optimal = [], 0
    for model in MODELS:
        runs = [shrink(model, seed) for seed in range(1, SEEDS + 1)]
        hits = sum(result == model.optimum for result, _ in runs)
        optimal += hits
        rows.append((model.name, f"{median(count for _, count in runs):,.0f}", f"{hits} of {SEEDS}"))
    total = SEEDS * len(MODELS)
    rows.append((f"all {len(MODELS)} models", "", f"{optimal} of {total} ({100 * optimal / total:.0f} %)"))
    return markdown_table(("Hypothesis on a model of", "executions, median", "simplest"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    lines = table()
    print("\n".join(lines))
    if arguments.write:
        write_between_markers(PAGE, "shrinking_models", lines)


if __name__ == "__main__":
    main()
