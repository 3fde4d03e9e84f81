"""Durations, amounts and counts in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.report.quantities import count_text, delay_text, ether_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 seconds"), (1, "1 second"), (259_207, "3 days 7 seconds"), (90_061, "1 day 1 hour 1 minute 1 second")],
)
def test_delays_are_written_in_units(seconds: int, text: str) -> None:
    """Units of zero are left out."""
    assert delay_text(seconds) == text


@pytest.mark.parametrize(
    ("wei", "text"),
    [
        ("0", ""),
        ("99999999999999", ""),
        ("100000000000000", " (0.0001 ether)"),
        ("1500000000000000000", " (1.5 ether)"),
        ("100000000000000000000", " (100 ether)"),
        ("1000000000000000001", " (1.000000000000000001 ether)"),
    ],
)
def test_amounts_worth_naming_are_named_in_ether(wei: str, text: str) -> None:
    """All digits are kept."""
    assert ether_text(wei) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (999, "999"), (1_000, "1.00k"), (12_345, "12.3k"), (999_999, "999k"), (4_567_890, "4.56M")],
)
def test_counts_are_short(count: int, text: str) -> None:
    """Three digits and a unit; never rounded up to what was not reached."""
    assert count_text(count) == text


@given(st.integers(0, 10**15 - 1))
def test_every_count_fits_its_column(count: int) -> None:
    """Five characters are enough for any campaign."""
    assert len(count_text(count)) <= 5
