"""Coverage cells of the kernel."""

from __future__ import annotations

import pytest

from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.code_map import CodeMap

CODE = CodeMap("a.sol:A", "runtime", (0, 10), (10, 20), (9,))


def test_packed_cells_become_coverage() -> None:
    """One value a cell, in the order of the map; depths and bits of no known outcome are left out."""
    coverage = CodeCoverage.from_cells(CODE, [3 | 0b101 << 48 | 0b1110_0010 << 56, 0, 1, 2])
    assert (coverage.counts, coverage.outcomes) == ((3, 0, 1, 2), (2, 0, 0, 0))


def test_merging_sums_counts_and_unites_outcomes() -> None:
    """Two workers saw the same code."""
    one = CodeCoverage(CODE, (1, 2, 3, 4), (1, 0, 0, 0))
    merged = one.merge(CodeCoverage(CODE, (1, 1, 1, 1), (2, 1, 0, 0)))
    assert (merged.counts, merged.outcomes) == ((2, 3, 4, 5), (3, 1, 0, 0))
    assert one.merge(CodeCoverage(CODE, (0, 0, 0, 0))).outcomes == (1, 0, 0, 0)


def test_a_wrong_number_of_cells_is_a_mistake() -> None:
    """Counts of another code must not be shown as this one's."""
    with pytest.raises(ValueError, match="expected 4 cells, got 3"):
        CodeCoverage(CODE, (1, 2, 3))
    other = CodeMap("b.sol:B", "runtime", (0, 10), (10, 20), (9,))
    with pytest.raises(ValueError, match="cannot merge"):
        CodeCoverage(CODE, (1, 2, 3, 4)).merge(CodeCoverage(other, (1, 2, 3, 4)))
