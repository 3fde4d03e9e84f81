"""Percentages and their sums."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.coverage.line_coverage import FileCoverage, LineCount, line_coverage
from simulator.coverage.summary import percent, summarize


@pytest.mark.parametrize(
    ("hit", "found", "expected"),
    [(0, 0, 0.0), (0, 7, 0.0), (7, 7, 100.0), (2, 3, 66.7), (1, 3, 33.3), (1, 16, 6.3), (1, 800, 0.1), (1, 2001, 0.0)],
)
def test_percentages_round_half_up_to_a_tenth(hit: int, found: int, expected: float) -> None:
    """6.25 becomes 6.3, where binary floats with half-even rounding give 6.2."""
    assert percent(hit, found) == expected


@given(st.data())
def test_percentages_are_exact(data: st.DataObject) -> None:
    """The exact quotient is rounded, not a float of it."""
    found = data.draw(st.integers(1, 10**9))
    hit = data.draw(st.integers(0, found))
    tenths = Fraction(1000 * hit, found)
    rounded = (Decimal(tenths.numerator) / Decimal(tenths.denominator)).quantize(Decimal(1), ROUND_HALF_UP)
    assert percent(hit, found) == float(rounded) / 10


def test_contracts_add_up_to_the_whole(recording: Callable[[str], Any]) -> None:
    """The overall figures weigh contracts by what they hold."""
    recorded = recording("maze_legacy")
    files = line_coverage(recorded.project, recorded.coverages)
    summary = summarize(files)
    assert [(c.name, c.lines_hit, c.lines_found, c.branches_hit, c.branches_found) for c in summary.contracts] == [
        ("Maze", 12, 16, 9, 12),
        ("Numbers", 1, 1, 1, 2),
        ("Owned", 1, 1, 1, 2),
    ]
    assert summary.line_coverage == percent(14, 18) == percent(files[0].lines_hit, files[0].lines_found)
    assert summary.branch_coverage == percent(11, 16)


def test_free_functions_are_listed_under_their_file() -> None:
    """Lines outside of contracts count too."""
    file = FileCoverage("src/Math.sol", "", lines=(LineCount(1, 1, ""), LineCount(2, 0, "Math")))
    assert [(c.path, c.name, c.line_coverage) for c in summarize([file]).contracts] == [
        ("src/Math.sol", "Math", 0.0),
        ("src/Math.sol", "Math.sol", 100.0),
    ]


def test_nothing_is_covered_before_the_first_code() -> None:
    """No files, no percentage."""
    assert (summarize([]).line_coverage, summarize([]).contracts) == (0.0, ())
