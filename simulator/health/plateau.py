"""Plateau of coverage, and an estimate of what is left: Good and Turing's and Chao's estimates.

What was met once or twice tells of what was never met (Good 1953; Chao 1984, 1987). Fuzzing as such a sampling is
Boehme's STADS (TOSEM 2018). Species here are coverage cells that random calls hit.
"""

from __future__ import annotations

import math

from simulator.health.model import Growth, HealthPoint
from simulator.health.observations import Observations

LATE_SHARE = 0.05
"""Share of coverage from the second half of the calls past which a campaign still grows."""
LATE_FEATURES = 3
_NORMAL_95 = 1.96


def growth_of(seen: Observations) -> Growth | None:
    """None while nothing is known of how coverage grew."""
    if not seen.growth or not seen.growth_calls:
        return None
    once, twice, places = seen.hits
    estimate, low, high = chao1(places, once, twice, seen.growth_calls)
    return Growth(
        calls=seen.growth_calls,
        last_new=seen.growth[-1][0],
        late_share=round(_late(seen) / max(seen.growth[-1][1], 1), 4),
        places=places,
        estimate=round(estimate, 1),
        low=round(low, 1),
        high=round(high, 1),
        next_new=once / seen.growth_calls,
    )


def growth_points(seen: Observations) -> tuple[HealthPoint, ...]:
    """One point for a campaign that still grows."""
    growth = growth_of(seen)
    if growth is None or growth.late_share < LATE_SHARE or _late(seen) < LATE_FEATURES:
        return ()
    text = (
        f"coverage still grows: {growth.late_share:.0%} of it came in the second half of the calls, the last after "
        f"{growth.last_new:,} of {growth.calls:,}"
    )
    return (HealthPoint("still-growing", text, "let it run longer: raise --test-limit or --timeout"),)


def chao1(places: int, once: int, twice: int, samples: int) -> tuple[float, float, float]:
    """Estimate how many there are if `places` were met, `once` and `twice` that often, in so many samples; and the
    bounds of the interval with 95 % confidence (log-normal, Chao 1987)."""
    shrunk = (samples - 1) / samples if samples else 0.0
    if twice:
        ratio = once / twice
        missing = shrunk * once * once / (2 * twice)
        variance = twice * (shrunk * ratio**2 / 2 + shrunk**2 * ratio**3 + shrunk**2 * ratio**4 / 4)
    else:
        missing = shrunk * once * (once - 1) / 2
        estimate = places + missing
        variance = shrunk * once * (once - 1) / 2 + shrunk**2 * once * (2 * once - 1) ** 2 / 4
        variance -= shrunk**2 * once**4 / (4 * estimate) if estimate else 0.0
    if missing <= 0 or variance <= 0:
        return places + max(missing, 0.0), float(places), places + max(missing, 0.0)
    spread = math.exp(_NORMAL_95 * math.sqrt(math.log(1 + variance / missing**2)))
    return places + missing, places + missing / spread, places + missing * spread


def _late(seen: Observations) -> int:
    """Features that came in the second half of the calls."""
    half = seen.growth_calls / 2
    early = [features for calls, features in seen.growth if calls <= half]
    first = early[-1] if early else 0
    return seen.growth[-1][1] - first
