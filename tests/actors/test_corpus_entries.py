"""The corpus in memory: a state machine against plain dictionaries."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from actors.corpus.entries import CorpusEntries
from actors.corpus.messages import Measure
from simulator.corpus.feature_index import feature_set
from simulator.corpus.identity import sequence_hash
from simulator.corpus.minimisation import superfluous
from simulator.transaction import Sequence, Transaction

NUMBERS = st.integers(0, 5)
ORIGINS = st.sampled_from([*["coverage"] * 6, "failed", "injected", "foreign"])


def sequence(number: int) -> Sequence:
    """Six different sequences of one to three calls."""
    return (Transaction(b"\x01" * 20, b"\x02" * 20, number.to_bytes(4, "big")),) * (number % 3 + 1)


def covers(number: int) -> int:
    """The coverage of a sequence, which is the same whenever it is measured."""
    return feature_set({number // 2, 20 + number // 4})


class CorpusMachine(RuleBasedStateMachine):
    """Workers find, measure and fail; minimisation comes at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.entries = CorpusEntries()
        self.order: list[int] = []
        self.fixed: set[int] = set()
        self.measured: set[int] = set()
        self.gone: set[int] = set()
        self.readers = {0: (0, set()), 1: (0, set())}

    @rule(number=NUMBERS, finder=st.integers(0, 1), origin=ORIGINS, measured=st.sampled_from([True, True, False]))
    def add(self, number: int, finder: int, origin: str, measured: bool) -> None:
        measure = Measure(covers(number), (21,) * len(sequence(number))) if measured else None
        is_new = self.entries.add(finder, sequence(number), origin, measure)
        assert is_new == (number not in self.order)
        if is_new:
            self.order.append(number)
        if origin != "coverage":
            self.fixed.add(number)
            self.gone.discard(number)
        if measured and number not in self.gone:
            self.measured.add(number)

    @rule(number=NUMBERS)
    def measure(self, number: int) -> None:
        self.entries.measure(sequence_hash(sequence(number)), Measure(covers(number)))
        if number in self.order and number not in self.gone:
            self.measured.add(number)

    @rule()
    def minimise(self) -> None:
        before = self._covered()
        numbers = frozenset(superfluous(self.entries.candidates()))
        self.entries.supersede(numbers, self.entries.indexes_without(numbers))
        leaving = {self.order[number] for number in numbers}
        assert not leaving & self.fixed
        assert leaving <= self.measured
        self.gone |= leaving
        self.measured -= leaving
        assert self._covered() == before

    @precondition(lambda self: self.gone)
    @rule(data=st.data())
    def fail_one_that_was_set_aside(self, data: st.DataObject) -> None:
        self.add(data.draw(st.sampled_from(sorted(self.gone))), 0, "failed", False)

    @rule(worker=st.integers(0, 1))
    def fetch_news(self, worker: int) -> None:
        cursor, known = self.readers[worker]
        known |= {sequence_hash(each) for each in self.entries.since(cursor, but=worker)}
        self.readers[worker] = (self.entries.cursor, known)

    @invariant()
    def holds_what_was_added_and_not_set_aside(self) -> None:
        kept = {number for number in self.order if number not in self.gone}
        assert {sequence_hash(each) for each in self.entries.since(0)} == {sequence_hash(sequence(n)) for n in kept}
        assert len(self.entries) == len(kept)
        assert (self.entries.kept_always, self.entries.superseded) == (len(self.fixed), len(self.gone))
        assert set(self.entries.features.features) == {self.order.index(number) for number in self.measured}

    @invariant()
    def indexes_all_its_transactions(self) -> None:
        places = self.entries.transactions.page(0, 1_000)
        numbers = self.entries.numbers(0, 1_000)
        summaries = [self.entries.summary(number, position) for position, number in enumerate(numbers)]
        assert len(places) == sum(summary.transactions for summary in summaries)
        for summary in summaries:
            found = [place for place in places if self.entries.reading_of(place)[0] == summary.id]
            assert [place.index for place in found] == [summary.first_transaction + n for n in range(len(found))]
            assert tuple(place.transaction for place in found) == self.entries.find(summary.id)

    def _covered(self) -> int:
        union = 0
        for features in self.entries.features.features.values():
            union |= features
        return union


CorpusMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestCorpusMachine = CorpusMachine.TestCase
