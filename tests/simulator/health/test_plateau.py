"""Estimates of what a campaign has not reached."""

from __future__ import annotations

import pytest

from simulator.health.observations import Observations
from simulator.health.plateau import chao1, growth_of, growth_points


def test_without_anything_rare_nothing_is_left():
    assert chao1(500, 0, 0, 10_000) == (500.0, 500.0, 500.0)


def test_the_estimate_is_chaos_and_lies_within_its_interval():
    """f1 = 8, f2 = 4: 8 * 8 / (2 * 4) = 8 are missing, but for the correction by (n - 1) / n."""
    estimate, low, high = chao1(100, 8, 4, 1_000_000)
    assert estimate == pytest.approx(108, abs=0.001)
    assert 100 < low < estimate < high


def test_without_doubles_the_corrected_form_is_taken():
    """f1 (f1 - 1) / 2."""
    estimate, low, high = chao1(50, 5, 0, 1_000_000)
    assert estimate == pytest.approx(60, abs=0.001)
    assert 50 <= low < estimate < high


def test_nothing_is_said_before_a_worker_has_reported():
    assert growth_of(Observations()) is None
    assert growth_points(Observations()) == ()


def test_coverage_in_the_second_half_of_the_calls_is_growth():
    seen = Observations(growth=((0, 50), (400, 80), (900, 100)), growth_calls=1_000, hits=(2, 1, 90))
    growth = growth_of(seen)
    assert growth is not None
    assert (growth.last_new, growth.late_share, growth.places) == (900, 0.2, 90)
    assert growth.next_new == pytest.approx(0.002)
    (point,) = growth_points(seen)
    assert point.kind == "still-growing"
    assert "20% of it came in the second half" in point.text


def test_a_campaign_that_found_all_early_is_at_rest():
    assert growth_points(Observations(growth=((0, 50), (400, 100)), growth_calls=1_000)) == ()
