"""Minimisation: everything covered stays covered, by few."""

from __future__ import annotations

from itertools import combinations

import hypothesis.strategies as st
from hypothesis import given

from simulator.corpus.feature_index import feature_set
from simulator.corpus.minimisation import Candidate, _choose, superfluous

ENTRIES = st.lists(
    st.tuples(st.frozensets(st.integers(0, 15), max_size=6), st.integers(1, 4), st.booleans()), max_size=9
)


def candidates(entries: list[tuple[frozenset[int], int, bool]]) -> list[Candidate]:
    return [Candidate(10 + i, feature_set(f), length, fixed) for i, (f, length, fixed) in enumerate(entries)]


def union(entries: list[Candidate]) -> int:
    covered = 0
    for entry in entries:
        covered |= entry.features
    return covered


@given(ENTRIES)
def test_nothing_that_was_covered_is_lost(entries: list[tuple[frozenset[int], int, bool]]):
    """What stays covers the same; fixed entries stay; of the others none could go as well."""
    all_of_them = candidates(entries)
    gone = superfluous(all_of_them)
    kept = [each for each in all_of_them if each.entry not in gone]
    assert union(kept) == union(all_of_them)
    assert all(each in kept for each in all_of_them if each.fixed)
    for each in kept:
        rest = [other for other in kept if other is not each]
        assert each.fixed or union(rest) != union(kept)


@given(ENTRIES)
def test_greedy_is_near_the_best(entries: list[tuple[frozenset[int], int, bool]]):
    """On small corpora, at most the harmonic factor above the cheapest cover, found by trying all of them."""
    free = [each for each in candidates(entries) if not each.fixed]
    gone = superfluous(free)
    cost = sum(each.length for each in free if each.entry not in gone)
    covers = (
        sum(each.length for each in some)
        for size in range(len(free) + 1)
        for some in combinations(free, size)
        if union(list(some)) == union(free)
    )
    assert cost <= min(covers) * 2.45 + 1e-9, "H(6) = 2.45, for at most six features an entry"


@given(ENTRIES)
def test_the_lazy_choice_is_the_greedy_one(entries: list[tuple[frozenset[int], int, bool]]):
    """The heap with outdated estimates chooses as a search through all entries does."""
    left = candidates(entries)
    lazy = _choose(list(left), 0)
    covered, greedy = 0, []
    while best := min(
        (((each.features & ~covered).bit_count() / -each.length, each.length, i, each) for i, each in enumerate(left)),
        default=None,
        key=lambda ranked: ranked[:3],
    ):
        if best[0] == 0:
            break
        greedy.append(best[3])
        covered |= best[3].features
    assert lazy == greedy


def test_of_equals_the_shorter_then_the_older_stays():
    """The choice is deterministic."""
    same = feature_set({1, 2})
    assert superfluous([Candidate(1, same, 3), Candidate(2, same, 2), Candidate(3, same, 2)]) == (1, 3)


def test_an_entry_that_covers_nothing_goes_unless_it_is_fixed():
    """Measured and empty is superfluous."""
    assert superfluous([Candidate(1, 0, 1), Candidate(2, 0, 1, fixed=True)]) == (1,)
