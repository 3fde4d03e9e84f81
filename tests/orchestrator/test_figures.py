"""Figures as users read them: durations, sizes, shares, sparklines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.figures import count, duration, percent, size, sparkline


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0s"), (59.9, "59s"), (60, "1m 00s"), (3723, "1h 02m 03s"), (2 * 86_400 + 3 * 3600 + 240, "2d 03h 04m")],
)
def test_durations_are_short(seconds: float, text: str) -> None:
    """Two or three units, fractions cut."""
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 B"), (999, "999 B"), (1500, "2 kB"), (1_500_000, "1.5 MB"), (143_000_000, "143 MB")]
)
def test_sizes_have_a_unit(number: int, text: str) -> None:
    """Decimal units, one digit behind the point for small figures of a large unit."""
    assert size(number) == text


def test_all_lines_only_are_100_percent() -> None:
    """119 of 119, never 999 of 1000."""
    assert (percent(999, 1000), percent(119, 119), percent(0, 0)) == ("99 %", "100 %", "-")
    assert count(1234567.8) == "1,234,567"


@given(st.lists(st.floats(0, 1e12), max_size=50), st.integers(-1, 40), st.none() | st.just(0.0))
def test_a_sparkline_has_one_bar_for_each_value_shown(values: list[float], width: int, floor: float | None) -> None:
    """Never longer than its width; the largest value reaches the top."""
    line = sparkline(values, width, floor)
    assert len(line) == max(0, min(width, len(values)))
    if len(set(values[-width:])) > 1 and width > 0:
        assert "█" in line
