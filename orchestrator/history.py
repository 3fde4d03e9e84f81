"""History of a campaign's figures over time, in a bounded number of samples, for the sparklines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from orchestrator.snapshot import CampaignSnapshot

RECENT: Final = 120
WHOLE: Final = 240


@dataclass(frozen=True, slots=True)
class History:
    """`speeds` are calls/s of the last two minutes, one a second. `coverage` covers the whole campaign: when it is
    full, every second sample goes and the interval doubles."""

    speeds: tuple[float, ...] = ()
    coverage: tuple[int, ...] = ()
    coverage_interval: float = 1.0
    next_speed: float = 0.0
    next_coverage: float = 0.0

    def add(self, snapshot: CampaignSnapshot) -> History:
        """The history with this snapshot in it, or itself when the next sample is not due."""
        if snapshot.phase in ("compiling", "deploying") or snapshot.elapsed < min(self.next_speed, self.next_coverage):
            return self
        speeds, next_speed = self.speeds, self.next_speed
        if snapshot.elapsed >= next_speed:
            speeds = (*speeds, snapshot.calls_per_second)[-RECENT:]
            next_speed = snapshot.elapsed + 1.0
        coverage, interval, next_coverage = self.coverage, self.coverage_interval, self.next_coverage
        if snapshot.elapsed >= next_coverage:
            coverage = (*coverage, snapshot.coverage_points)
            if len(coverage) > WHOLE:
                coverage, interval = coverage[1::2], interval * 2
            next_coverage = snapshot.elapsed + interval
        return History(speeds, coverage, interval, next_speed, next_coverage)

    def coverage_curve(self, width: int) -> tuple[int, ...]:
        """The whole curve in at most `width` samples; the last one is always among them."""
        if width <= 0:
            return ()
        step = -(-len(self.coverage) // width) or 1
        return self.coverage[::-1][::step][::-1]
