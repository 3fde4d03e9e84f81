"""All transactions of a corpus under one flat index, in the order in which their sequences came.

Reading a page costs what the page holds. A search walks the shortest list of positions that can match: one list for
each selector and each sender, and one for the transactions that carry ether.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from simulator.transaction import SELECTOR_SIZE, Transaction
from simulator.transaction import Sequence as TransactionSequence


class CallPlace(msgspec.Struct, frozen=True):
    """A transaction and where it stands: flat `index`, number of its entry, position in the entry's sequence."""

    index: int
    entry: int
    position: int
    transaction: Transaction


class Criteria(msgspec.Struct, frozen=True):
    """Criteria of a search; all that is given must hold. Selectors are alternatives of 4 bytes (an empty set matches
    nothing), `sender` is 20 bytes, `minimum_value` wei, inclusive."""

    selectors: frozenset[bytes] | None = None
    sender: bytes | None = None
    minimum_value: int = 0


class TransactionIndex:
    """Append-only. Pages and searches may be read by other threads while sequences are added by one."""

    def __init__(self) -> None:
        self._transactions: list[Transaction] = []
        self._entries = array("q")
        self._starts: dict[int, int] = {}
        self._by_selector: dict[bytes, list[int]] = {}
        self._by_sender: dict[bytes, list[int]] = {}
        self._with_value: list[int] = []

    def __len__(self) -> int:
        return len(self._transactions)

    def add(self, entry: int, sequence: TransactionSequence) -> None:
        """Append the sequence of an entry, which is not in the index yet."""
        start = self._starts[entry] = len(self._transactions)
        for index, transaction in enumerate(sequence, start):
            self._entries.append(entry)
            if not transaction.is_wait:
                self._by_selector.setdefault(transaction.data[:SELECTOR_SIZE], []).append(index)
            self._by_sender.setdefault(transaction.sender, []).append(index)
            if transaction.wei:
                self._with_value.append(index)
            self._transactions.append(transaction)

    def first(self, entry: int) -> int:
        """Flat index of an entry's first transaction. Raises `KeyError` for an entry that is not in the index."""
        return self._starts[entry]

    def page(self, offset: int, limit: int) -> tuple[CallPlace, ...]:
        """Up to `limit` transactions from `offset` on; none behind the end."""
        end = min(offset + limit, len(self._transactions))
        return tuple(self._place(index) for index in range(max(0, offset), end))

    def search(self, criteria: Criteria) -> Search:
        """A search over what the index holds now; `Search.run` does the work."""
        lists: list[Sequence[Sequence[int]]] = []
        if criteria.selectors is not None:
            lists.append([self._by_selector.get(selector, []) for selector in sorted(criteria.selectors)])
        if criteria.sender is not None:
            lists.append([self._by_sender.get(criteria.sender, [])])
        if criteria.minimum_value > 0:
            lists.append([self._with_value])
        total = len(self._transactions)
        candidates = min(lists, key=lambda each: sum(map(len, each))) if lists else [range(total)]
        is_exact = len(lists) <= 1 and criteria.minimum_value <= 1
        return Search(self, criteria, [(each, len(each)) for each in candidates], is_exact=is_exact)

    def _place(self, index: int) -> CallPlace:
        entry = self._entries[index]
        return CallPlace(index, entry, index - self._starts[entry], self._transactions[index])

    def places(self, indexes: Iterable[int]) -> tuple[CallPlace, ...]:
        return tuple(map(self._place, indexes))

    def matches(self, index: int, criteria: Criteria) -> bool:
        """Return whether the transaction at this index fits."""
        transaction = self._transactions[index]
        if criteria.selectors is not None and (
            transaction.is_wait or transaction.data[:SELECTOR_SIZE] not in criteria.selectors
        ):
            return False
        if criteria.sender is not None and transaction.sender != criteria.sender:
            return False
        return transaction.wei >= criteria.minimum_value


class Search:
    """One search. `work` is the number of transactions that `run` looks at, unless the candidates are known to fit:
    then it reads the first ones only."""

    def __init__(
        self,
        index: TransactionIndex,
        criteria: Criteria,
        candidates: list[tuple[Sequence[int], int]],
        *,
        is_exact: bool = False,
    ) -> None:
        self._is_exact = is_exact
        self._index = index
        self._criteria = criteria
        self._candidates = candidates

    @property
    def work(self) -> int:
        return sum(size for _, size in self._candidates)

    def run(self, limit: int) -> tuple[tuple[CallPlace, ...], int]:
        """The first `limit` matches in the index's order, and how many there are in all."""
        if self._is_exact:
            return self._index.places(islice(self._walk(), limit)), self.work
        found: list[int] = []
        count = 0
        for index in self._walk():
            if self._index.matches(index, self._criteria):
                count += 1
                if len(found) < limit:
                    found.append(index)
        return self._index.places(found), count

    def _walk(self) -> Iterator[int]:
        """Positions in ascending order; lists may have grown since, which is not looked at."""
        return heapq.merge(*(islice(positions, size) for positions, size in self._candidates))
