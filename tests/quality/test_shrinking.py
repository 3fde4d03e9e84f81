"""Failing sequences of real campaigns are shrunk to the simplest ones there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.shrinking import measure

MIN_SHARE = 0.95


@pytest.mark.integration
@pytest.mark.parametrize("case", ["SumModulus", "RelationAcrossCalls"])
def test_what_matters_of_a_sum_or_a_relation_is_found(case: str, tmp_path: Path) -> None:
    """Several calls become one whose value keeps the remainder; two calls keep their relation."""
    (result,) = measure(tmp_path, case, seeds=1)
    assert [run.result for run in result.runs] == [result.case.optimum]
    assert all(run.minimal for run in result.runs)


@pytest.mark.nightly
@pytest.mark.integration
def test_nearly_every_failure_is_shrunk_to_the_simplest(tmp_path: Path) -> None:
    """Of all cases whose simplest sequence is known, within the usual limit of executions."""
    results = measure(tmp_path, "", seeds=2)
    assert len(results) >= 40
    optimal = sum(len(result.optimal) for result in results)
    assert optimal >= MIN_SHARE * sum(len(result.runs) for result in results)
