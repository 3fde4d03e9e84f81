"""Percentages: per contract, per file and overall, always weighted by what can be covered."""

from __future__ import annotations

import msgspec


def percent(hit: int, found: int) -> float:
    """`hit` of `found` in percent, 0..100, the exact quotient rounded half up to one decimal; 0 when `found` is 0."""
    if found <= 0:
        return 0.0
    return ((2000 * hit + found) // (2 * found)) / 10


class ContractCoverage(msgspec.Struct, frozen=True, rename="camel"):
    """Coverage of one contract. `path` is its source unit, `name` its plain name. Percentages are 0..100."""

    name: str
    path: str
    line_coverage: float
    branch_coverage: float
    lines_hit: int
    lines_found: int
    branches_hit: int
    branches_found: int


class CoverageSummary(msgspec.Struct, frozen=True, rename="camel"):
    """Overall coverage: lines and branches hit of those found in all files, and the parts it is made of."""

    line_coverage: float
    branch_coverage: float
    contracts: tuple[ContractCoverage, ...] = ()
