"""Reading the corpus as tools do: pages, searches, and the entry nearest to a place.

Positions are taken from the keeper's indexes at once, from the trio thread; decoding calls and long searches run in a
thread. So an answer is one moment's, and neither the keeper nor the loop waits for a reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
import trio

from actors.corpus.keeper import CorpusKeeper
from actors.corpus.messages import CorpusMatches, CorpusPage, EntryPage, EntrySummary
from simulator.corpus.call_reading import CallReader, ReadableTransaction
from simulator.corpus.transaction_index import CallPlace, Criteria, Search
from simulator.trace.address_book import AddressBook
from simulator.transaction import Sequence

MAX_MATCHES = 200
_AT_ONCE = 20


class CorpusReader:
    """`book` gives the address book of this moment; it may change once, when the target has been deployed."""

    def __init__(self, keeper: CorpusKeeper, book: Callable[[], AddressBook]) -> None:
        self._keeper = keeper
        self._book = book
        self._reader = CallReader(book())
        self._of_book = book()

    @property
    def size(self) -> int:
        """Number of transactions in the corpus."""
        return len(self._keeper.entries.transactions)

    async def page(self, offset: int, limit: int) -> CorpusPage:
        """Transactions `offset <= index < offset + limit`; none behind the end."""
        transactions = self._keeper.entries.transactions
        places = transactions.page(offset, limit)
        total = len(transactions)
        return CorpusPage(await self._read(places), total)

    async def find(
        self,
        *,
        signature: str | None = None,
        sender: bytes | None = None,
        minimum_value: int = 0,
        limit: int = MAX_MATCHES,
        offset: int = 0,
    ) -> CorpusMatches:
        """Transactions that meet all criteria. `signature` with parentheses is an exact canonical one, without them the
        name of any overload; `sender` is 20 bytes. At most `limit` and `MAX_MATCHES` of them come back,
        behind the first `offset`."""
        selectors = None if signature is None else self._call_reader().selectors(signature)
        search = self._keeper.entries.transactions.search(Criteria(selectors, sender, minimum_value))
        limit = min(limit, MAX_MATCHES)
        places, count = await self._run(search, offset + limit)
        return CorpusMatches(await self._read(places[offset:]), count)

    async def entries(self, offset: int, limit: int) -> EntryPage:
        """Entries by position, with how rare their coverage is."""
        entries = self._keeper.entries
        total, features, numbers = len(entries), entries.features, entries.numbers(offset, limit)
        plain = [entries.summary(number, position) for position, number in enumerate(numbers, offset)]

        def complete() -> tuple[EntrySummary, ...]:
            return tuple(
                msgspec.structs.replace(summary, rarity=features.rarity(number))
                for summary, number in zip(plain, numbers, strict=True)
            )

        return EntryPage(await trio.to_thread.run_sync(complete, abandon_on_cancel=True), total)

    async def entry(self, identity: str) -> EntrySummary | None:
        """The entry with this id, with how rare its coverage is; position -1 for a superseded one."""
        entries = self._keeper.entries
        number = entries.number(identity)
        if number is None:
            return None
        summary, features = entries.summary(number, entries.position(number)), entries.features
        rarity = await trio.to_thread.run_sync(features.rarity, number, abandon_on_cancel=True)
        return msgspec.structs.replace(summary, rarity=rarity)

    def sequence(self, identity: str) -> Sequence | None:
        """The entry with this id, superseded ones included."""
        return self._keeper.entries.find(identity)

    def nearest(self, features: Iterable[int]) -> str | None:
        """Id of the shortest entry that covers one of these features."""
        number = self._keeper.entries.features.shortest(features)
        return None if number is None else self._keeper.entries.identity(number)

    async def _run(self, search: Search, limit: int) -> tuple[tuple[CallPlace, ...], int]:
        if search.work <= _AT_ONCE * 50:
            await trio.lowlevel.checkpoint()
            return search.run(limit)
        return await trio.to_thread.run_sync(search.run, limit, abandon_on_cancel=True)

    async def _read(self, places: tuple[CallPlace, ...]) -> tuple[ReadableTransaction, ...]:
        entries, reader = self._keeper.entries, self._call_reader()
        known = [(place, *entries.reading_of(place)) for place in places]

        def read() -> tuple[ReadableTransaction, ...]:
            return tuple(reader.read(place.transaction, place.index, identity, gas) for place, identity, gas in known)

        if len(known) <= _AT_ONCE:
            await trio.lowlevel.checkpoint()
            return read()
        return await trio.to_thread.run_sync(read, abandon_on_cancel=True)

    def _call_reader(self) -> CallReader:
        book = self._book()
        if book is not self._of_book:
            self._reader, self._of_book = CallReader(book), book
        return self._reader
