"""The frontier: conditions that were evaluated and went one way only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.frontier import frontier
from simulator.coverage.line_coverage import CoverageMapper

Load = Callable[[str], Any]


def test_half_covered_branches_are_told_with_their_place(recording: Load) -> None:
    """Line, source, function, the outcome that is missing, and how often the other one was seen."""
    record = recording("maze_legacy")
    found = [site.branch for site in frontier(CoverageMapper(record.project), record.coverages)]
    (ternary,) = (each for each in found if each.line == 7)
    assert (ternary.kind, ternary.missing, ternary.times) == ("ternary", "true", 1)
    assert ternary.source == record.project.units[0].sources[0].content.split("\n")[6].strip()
    assert ternary.contract
    assert all(each.function for each in found)


@pytest.mark.parametrize("name", ["maze_legacy", "maze_ir_optimized", "requires_legacy", "requires_ir_optimized"])
def test_the_frontier_is_the_branches_with_one_side(recording: Load, name: str) -> None:
    """It agrees with the branch counts of the files: as many entries as branches with exactly one side hit."""
    record = recording(name)
    mapper = CoverageMapper(record.project)
    half = [
        (file.path, branch.line, branch.kind)
        for file in mapper.files(record.coverages)
        for branch in file.branches
        if branch.hit == 1
    ]
    found = [site.branch for site in frontier(mapper, record.coverages)]
    assert sorted((each.path, each.line, each.kind) for each in found) == sorted(half)


def test_cells_of_a_branch_show_that_it_was_evaluated(recording: Load) -> None:
    """Each cell that is named was counted."""
    record = recording("maze_legacy")
    counts = {coverage.code: coverage.counts for coverage in record.coverages}
    for site in frontier(CoverageMapper(record.project), record.coverages):
        assert site.cells
        assert all(counts[code][cell] > 0 for code, cell in site.cells)


def test_checks_that_never_failed_come_last_and_the_hardest_first(recording: Load) -> None:
    """What blocks code is ordered by how often it was tried."""
    record = recording("requires_legacy")
    found = [site.branch for site in frontier(CoverageMapper(record.project), record.coverages)]
    blocking = [each for each in found if not (each.kind == "require" and each.missing == "false")]
    assert found[: len(blocking)] == blocking
    assert [each.times for each in blocking] == sorted((each.times for each in blocking), reverse=True)


def test_nothing_is_on_the_frontier_of_what_never_ran(recording: Load) -> None:
    """A branch that nobody reached lies behind another one."""
    record = recording("maze_legacy")
    blank = [CodeCoverage(coverage.code, (0,) * coverage.code.cells) for coverage in record.coverages]
    assert frontier(CoverageMapper(record.project), blank) == ()


def test_copies_of_a_branch_are_one(recording: Load) -> None:
    """A branch in two codes, true in one and false in the other, is covered."""
    record = recording("maze_legacy")
    creation, runtime = record.coverages
    site = next(
        each for each in frontier(CoverageMapper(record.project), record.coverages) if each.cells[0][0] == runtime.code
    )
    first, second = sorted(runtime.code.branch_cells((site.cells[0][1] - len(runtime.code.block_starts)) // 2))
    swapped = list(runtime.counts)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    other = msgspec.structs.replace(runtime, counts=tuple(swapped))
    found = frontier(CoverageMapper(record.project), [creation, runtime, other])
    assert site.branch not in [other.branch for other in found]
    assert (site.branch.line, site.branch.kind) not in {(other.branch.line, other.branch.kind) for other in found}
