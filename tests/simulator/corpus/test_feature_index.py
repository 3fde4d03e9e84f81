"""The index of features, against sets."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from simulator.corpus.feature_index import FeatureIndex, feature_numbers, feature_set

FEATURES = st.frozensets(st.integers(0, 40), max_size=12)


@given(st.frozensets(st.integers(0, 5_000)))
def test_a_set_survives_as_an_integer(numbers: frozenset[int]):
    """Numbers become bits and numbers again; size is the number of bits."""
    features = feature_set(numbers)
    assert features == sum(1 << number for number in numbers)
    assert feature_numbers(features).tolist() == sorted(numbers)


class IndexMachine(RuleBasedStateMachine):
    """Adding and removing entries, against a dictionary of sets."""

    def __init__(self) -> None:
        super().__init__()
        self.index = FeatureIndex()
        self.model: dict[int, tuple[frozenset[int], int]] = {}
        self.next = 0

    @rule(features=FEATURES, length=st.integers(1, 5))
    def add(self, features: frozenset[int], length: int) -> None:
        self.index.add(self.next, feature_set(features), length)
        self.model[self.next] = (features, length)
        self.next += 1

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def add_again(self, data: st.DataObject) -> None:
        self.index.add(data.draw(st.sampled_from(sorted(self.model))), feature_set({99}), 1)

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        gone = data.draw(st.sets(st.sampled_from(sorted(self.model)), max_size=3))
        self.index = self.index.without({*gone, 10_000})
        for entry in gone:
            del self.model[entry]

    @invariant()
    def covers_what_the_entries_cover(self) -> None:
        assert self.index.covered == len(frozenset().union(*(features for features, _ in self.model.values())))
        assert len(self.index) == len(self.model)

    @invariant()
    def knows_who_is_rare(self) -> None:
        for entry, (features, _) in self.model.items():
            holders = {n: sum(n in other for other, _ in self.model.values()) for n in features}
            rarity = self.index.rarity(entry)
            assert rarity is not None
            assert (rarity.features, rarity.unique) == (len(features), sum(count == 1 for count in holders.values()))
            assert rarity.unique <= rarity.rare <= rarity.features
            assert rarity.energy == pytest.approx(sum(1 / count for count in holders.values()))

    @invariant()
    def knows_the_shortest_way(self) -> None:
        for number in range(42):
            ways = [(length, entry) for entry, (features, length) in self.model.items() if number in features]
            assert self.index.shortest([number]) == (min(ways)[1] if ways else None)


IndexMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=15, deadline=None)
TestIndexMachine = IndexMachine.TestCase


def test_an_entry_that_nobody_measured_has_no_rarity():
    """Unknown is not zero."""
    assert FeatureIndex().rarity(0) is None
