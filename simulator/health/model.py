"""Health as reports, tools and agents read it: a verdict, and points with the next thing to do."""

from __future__ import annotations

from typing import Literal

import msgspec

Verdict = Literal["sound", "thin", "vacuous"]
HealthKind = Literal[
    "nothing-fuzzed",
    "nothing-succeeded",
    "nothing-asserted",
    "vacuous-test",
    "never-succeeded",
    "never-called",
    "unreached-assertion",
    "never-entered",
    "still-growing",
    "left-out-function",
    "one-sided-branch",
]
NOTES: frozenset[HealthKind] = frozenset(("left-out-function", "one-sided-branch"))
"""Kinds that say what a campaign did not do, and do not make it thin: users chose them, or every program has them."""
DECISIVE: frozenset[HealthKind] = frozenset(("nothing-fuzzed", "nothing-succeeded", "nothing-asserted"))
"""Kinds with which no passing test means anything."""
MAX_POINTS = 100
"""Points of one report. `CampaignHealth.omitted` counts the others."""


class HealthPoint(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """One thing that was found out. `text` is a sentence, `next_step` what to do about it. `test` or `function` and
    the place are there where it has them."""

    kind: HealthKind
    text: str
    next_step: str
    test: str = ""
    function: str = ""
    file: str = ""
    line: int = 0

    @property
    def weakens(self) -> bool:
        """Return whether a passing campaign means less because of it."""
        return self.kind not in NOTES


class Growth(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Growth of coverage. `last_new` of the `calls` of one worker brought the last coverage; `late_share` of all
    that it covered came in the second half of its calls (0..1). Places are blocks and sides of branches that random
    calls reached: `places` of them, with `estimate` as Chao's estimate of how many they could reach, between `low`
    and `high` with 95 % confidence. `next_new` is Good and Turing's estimate of the share of calls that reach a new
    one. Fuzzers favour what is rare, so both tell too little rather than too much."""

    calls: int
    last_new: int
    late_share: float
    places: int
    estimate: float
    low: float
    high: float
    next_new: float


class CampaignHealth(msgspec.Struct, frozen=True, rename="camel"):
    """`summary` is one line. Points that weaken the campaign come first. `looked_at` says what all of this rests on,
    and what could not be looked at. `omitted` points found no room."""

    verdict: Verdict
    summary: str
    points: tuple[HealthPoint, ...] = ()
    growth: Growth | None = None
    looked_at: tuple[str, ...] = ()
    omitted: int = 0
