"""Percentages: per contract, per file and overall, always weighted by what can be covered."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

import msgspec

from simulator.coverage.file_coverage import FileCoverage


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


def summarize(files: Iterable[FileCoverage]) -> CoverageSummary:
    """Overall and per contract, ordered by path and name. Each line belongs to one contract (functions outside of any
    to their file, under its name), so the contracts' lines add up to the whole."""
    counters: dict[tuple[str, str], list[int]] = {}
    for file in files:
        for line in file.lines:
            _count(counters, file, line.contract, (line.count > 0, 1, 0, 0))
        for branch in file.branches:
            _count(counters, file, branch.contract, (0, 0, branch.hit, 2))
    totals = [sum(column) for column in zip(*counters.values(), strict=True)] or [0, 0, 0, 0]
    contracts = tuple(_contract(path, name, counters[path, name]) for path, name in sorted(counters))
    return CoverageSummary(percent(totals[0], totals[1]), percent(totals[2], totals[3]), contracts)


def _count(
    counters: dict[tuple[str, str], list[int]], file: FileCoverage, contract: str, parts: tuple[int, int, int, int]
) -> None:
    key = (file.path, contract or PurePosixPath(file.path).name)
    counter = counters.setdefault(key, [0, 0, 0, 0])
    for index, part in enumerate(parts):
        counter[index] += part


def _contract(path: str, name: str, counter: list[int]) -> ContractCoverage:
    lines_hit, lines_found, branches_hit, branches_found = counter
    return ContractCoverage(
        name=name,
        path=path,
        line_coverage=percent(lines_hit, lines_found),
        branch_coverage=percent(branches_hit, branches_found),
        lines_hit=lines_hit,
        lines_found=lines_found,
        branches_hit=branches_hit,
        branches_found=branches_found,
    )
