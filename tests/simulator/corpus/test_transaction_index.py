"""The flat index of transactions: pages and searches, against a plain list."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, rule

from simulator.corpus.transaction_index import Criteria, TransactionIndex
from simulator.transaction import Transaction, wei_bytes

SELECTORS = [b"\x01\x02\x03\x04", b"\xff" * 4, b"", b"\x01"]
SENDERS = [bytes([number]) * 20 for number in (1, 2)]
CALLS = st.builds(
    lambda sender, selector, value, to: Transaction(
        sender, to, selector + b"\0" * 8 * bool(selector), wei_bytes(value)
    ),
    st.sampled_from(SENDERS),
    st.sampled_from(SELECTORS),
    st.sampled_from([0, 0, 1, 7, 2**255]),
    st.sampled_from([b"\xcc" * 20, b"\xcc" * 20, b""]),
)
CRITERIA = st.builds(
    Criteria,
    st.none() | st.frozensets(st.sampled_from(SELECTORS[:2])),
    st.none() | st.sampled_from(SENDERS),
    st.sampled_from([0, 0, 1, 5, 2**255, 2**256 - 1]),
)


def fits(call: Transaction, criteria: Criteria) -> bool:
    return (
        (criteria.selectors is None or (bool(call.to) and call.data[:4] in criteria.selectors))
        and criteria.sender in (None, call.sender)
        and call.wei >= criteria.minimum_value
    )


class IndexMachine(RuleBasedStateMachine):
    """Sequences come; pages and searches are those of the list of all their calls."""

    def __init__(self) -> None:
        super().__init__()
        self.index = TransactionIndex()
        self.flat: list[tuple[int, int, Transaction]] = []
        self.entries = 0

    @rule(calls=st.lists(CALLS, max_size=5))
    def add(self, calls: list[Transaction]) -> None:
        number = 100 - self.entries  # numbers need not ascend: a failing entry may come back
        self.entries += 1
        first = len(self.flat)
        self.index.add(number, tuple(calls))
        self.flat += [(number, position, call) for position, call in enumerate(calls)]
        assert self.index.first(number) == first
        assert len(self.index) == len(self.flat)

    @rule(offset=st.integers(0, 30), limit=st.integers(1, 7))
    def page(self, offset: int, limit: int) -> None:
        places = self.index.page(offset, limit)
        assert [(p.entry, p.position, p.transaction) for p in places] == self.flat[offset : offset + limit]
        assert [place.index for place in places] == list(range(offset, offset + len(places)))

    @rule(criteria=CRITERIA, limit=st.integers(0, 4), late=st.lists(CALLS, max_size=2))
    def search(self, criteria: Criteria, limit: int, late: list[Transaction]) -> None:
        expected = [index for index, (_, _, call) in enumerate(self.flat) if fits(call, criteria)]
        search = self.index.search(criteria)
        self.add(late)
        places, count = search.run(limit)
        assert count == len(expected)
        assert [place.index for place in places] == expected[:limit]


IndexMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
TestIndexMachine = IndexMachine.TestCase


def test_a_search_looks_at_the_shortest_list():
    """One call in a thousand: a search for it does not walk the others."""
    index = TransactionIndex()
    common = Transaction(SENDERS[0], b"\xcc" * 20, SELECTORS[0])
    index.add(0, (common,) * 999)
    index.add(1, (Transaction(SENDERS[0], b"\xcc" * 20, SELECTORS[1], b"\x05"),))
    assert index.search(Criteria(frozenset(SELECTORS[1:2]), SENDERS[0])).work == 1
    assert index.search(Criteria(sender=SENDERS[0], minimum_value=5)).work == 1
    assert index.search(Criteria(frozenset())).work == 0


def test_an_entry_that_is_not_indexed_has_no_first_transaction():
    """Asking for it is an error of the caller."""
    with pytest.raises(KeyError):
        TransactionIndex().first(3)
