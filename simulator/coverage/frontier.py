"""The uncovered frontier: branches of which one side was seen and the other never was.

Here a campaign stands before a door: it reaches the condition, and something about the values keeps it from going the
other way. A branch whose condition was never evaluated is not on the frontier.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from simulator.coverage.branch_kinds import BranchKind
from simulator.coverage.branch_sites import BranchSite
from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.code_map import CodeMap
from simulator.coverage.line_coverage import CoverageMapper
from simulator.coverage.source_text import SourceText

_MAX_TEXT_LENGTH = 200

Cell = tuple[CodeMap, int]


class HalfCoveredBranch(msgspec.Struct, frozen=True, rename="camel"):
    """`missing` is the outcome of the condition that was never seen, `times` how often the other one was. `source` is
    the line's text, `function` the name of the function that holds it."""

    path: str
    line: int
    source: str
    kind: BranchKind
    contract: str
    function: str
    missing: Literal["true", "false"]
    times: int


class FrontierSite(msgspec.Struct, frozen=True):
    """A branch of the frontier, and the cells that show that its condition was evaluated: an entry that covers one of
    them reaches the branch."""

    branch: HalfCoveredBranch
    cells: tuple[Cell, ...]


@dataclass(slots=True)
class _Sum:
    site: BranchSite
    true: int = 0
    false: int = 0
    cells: list[Cell] = field(default_factory=list)


def frontier(mapper: CoverageMapper, coverages: Iterable[CodeCoverage]) -> tuple[FrontierSite, ...]:
    """All half-covered branches: those first that block code (a check that never failed blocks none), then those that
    were evaluated most often, as these are the hardest. Raises `CompileError` as `CoverageMapper.files`."""
    sums: dict[tuple[str, int, int, BranchKind], _Sum] = {}
    for coverage, sites in mapper.measured_sites(coverages):
        for site in sites.branches:
            total = sums.setdefault((site.path, site.start, site.length, site.kind), _Sum(site))
            _add(total, site, coverage)
    found = [_describe(total, mapper.text(total.site.path)) for total in sums.values() if _is_half(total)]
    return tuple(sorted(found, key=_order))


def _add(total: _Sum, site: BranchSite, coverage: CodeCoverage) -> None:
    true, false = site.counts(coverage.counts)
    total.true += true
    total.false += false
    if true or false:
        total.cells.append((coverage.code, site.cells[0] if true else site.cells[1]))


def _is_half(total: _Sum) -> bool:
    return bool(total.true) != bool(total.false)


def _describe(total: _Sum, text: SourceText) -> FrontierSite:
    site = total.site
    function = text.function_at(site.start)
    branch = HalfCoveredBranch(
        path=site.path,
        line=site.line,
        source=text.line_text(site.line)[:_MAX_TEXT_LENGTH],
        kind=site.kind,
        contract=site.contract,
        function=function.name if function is not None else "",
        missing="false" if total.true else "true",
        times=total.true + total.false,
    )
    return FrontierSite(branch, tuple(total.cells))


def _order(site: FrontierSite) -> tuple[bool, int, str, int]:
    branch = site.branch
    return branch.kind == "require" and branch.missing == "false", -branch.times, branch.path, branch.line
