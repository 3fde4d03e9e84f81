"""The corpus as the native sequence builders see it: a table of sequences, each a table of transaction records."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from simulator.evm.arenas import read_bytes
from simulator.evm.host_memory import view
from simulator.evm.kernel.records import Records, References, pointer
from simulator.fuzz.arena import ArenaMemory, MemoryBlock, integers
from simulator.fuzz.corpus.corpus_schedule import MAX_COPIES, CorpusSchedule
from simulator.fuzz.native.layout.corpus_record import CorpusRecord
from simulator.fuzz.native.layout.function_record import FunctionRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.records import Template, pack_transaction, raw_template, template_of_call
from simulator.fuzz.targets.target import TargetFunction
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction

MAX_ENTRIES = 1 << 12
MAX_PLACES = MAX_ENTRIES * MAX_COPIES
PLAIN_KEPT = 1 << 11
PLAIN_BYTES = 1 << 10
Features = tuple[tuple[int, int], ...]
"""Code and number, see `simulator.worker.frame.Features`."""


@dataclass(frozen=True)
class _Entry:
    """`templates` live as long as the records that name them."""

    arena: MemoryBlock
    count: int
    templates: list[Template]


class RecordWriter:
    """Turns transactions into records, with the function and template that argument mutation needs."""

    def __init__(self, functions: list[TargetFunction], records: Records[FunctionRecord]) -> None:
        self._records = records
        self._by_call: dict[tuple[bytes, bytes], TargetFunction] = {}
        self._fallbacks: dict[bytes, TargetFunction] = {}
        # Trimming, shrinking and solving execute the same transactions over and over, in other company.
        self._plain = lru_cache(PLAIN_KEPT)(self._pack_plain)
        for target in functions:
            self.add(target)

    def add(self, target: TargetFunction) -> None:
        """Know another function."""
        address = target.deployed.address.to_bytes(20, "big")
        self._by_call[(address, target.selector)] = target
        if target.is_fallback:
            self._fallbacks[address] = target
        self._plain.cache_clear()

    def target(self, transaction: Transaction) -> TargetFunction | None:
        """The function that a transaction calls, None when the campaign does not know it."""
        called = self._by_call.get((transaction.to, transaction.data[:SELECTOR_SIZE]))
        if called is not None:
            return called
        fallback = self._fallbacks.get(transaction.to)
        return fallback if fallback is not None and fallback.takes(transaction.data) else None

    def pack(self, transaction: Transaction, keep: list[Template]) -> bytes:
        """The record; a template made for it is appended to `keep`, which must live as long as the record."""
        target = self.target(transaction)
        if target is None:
            return pack_transaction(transaction, 0, 0)
        data = transaction.data
        template = raw_template(data) if target.is_fallback else template_of_call(target.function, data)
        if template is not None:
            keep.append(template)
        return pack_transaction(transaction, pointer(self._records[target.index]), template.address if template else 0)

    def pack_plain(self, transaction: Transaction) -> bytes:
        """A record for execution only: without a template, so that nothing has to be decoded."""
        return (self._plain if len(transaction.data) <= PLAIN_BYTES else self._pack_plain)(transaction)

    def _pack_plain(self, transaction: Transaction) -> bytes:
        target = self.target(transaction)
        return pack_transaction(transaction, pointer(self._records[target.index]) if target else 0, 0)


class NativeCorpus:
    """Entries are never changed or moved. Past `MAX_ENTRIES` the oldest are replaced. Native code draws from a table in
    which an entry has as many places as `CorpusSchedule` gives it."""

    def __init__(self, writer: RecordWriter, memory: ArenaMemory) -> None:
        self._writer = writer
        self._memory = memory
        self._table = MemoryBlock(MAX_PLACES * CorpusRecord.SIZE)
        self.records = view(Records[CorpusRecord], self._table.address)
        self._schedule = CorpusSchedule(MAX_ENTRIES)
        self._entries: deque[_Entry] = deque()
        self._replaced: list[_Entry] = []  # still in the table
        self._count = 0

    @property
    def count(self) -> int:
        """Places in the table."""
        return self._count

    def add(self, sequence: Sequence, features: Features | None = None) -> None:
        """Make a sequence of at least one transaction available to the builders; `features` is what it covers, where
        that is known."""
        templates: list[Template] = []
        records = [self._writer.pack(transaction, templates) for transaction in sequence]
        table_size = 8 * len(records)
        arena = self._memory.arena(table_size + sum(map(len, records)))
        write_table(arena, records)
        if len(self._entries) >= MAX_ENTRIES:
            self._replaced.append(self._entries.popleft())
        self._entries.append(_Entry(arena, len(records), templates))
        if self._schedule.add(features):
            self._fill()
        else:
            self._place(self._entries[-1], 1)

    def _fill(self) -> None:
        self._count = 0
        for entry, places in zip(self._entries, self._schedule.copies(), strict=True):
            self._place(entry, places)
        self._replaced.clear()

    def _place(self, entry: _Entry, places: int) -> None:
        if self._count + places > MAX_PLACES:
            return
        first = self.records[self._count]
        first.sequence = view(References[TransactionRecord], entry.arena.address)
        first.count = entry.count
        self._table.write(self._count * CorpusRecord.SIZE, read_bytes(pointer(first), CorpusRecord.SIZE) * places)
        self._count += places


def write_table(arena: MemoryBlock, records: list[bytes]) -> None:
    """A sequence as the loop executes it: at the arena's start a table of the addresses of its records, then these."""
    first = arena.address + 8 * len(records)
    ends = list(accumulate(map(len, records), initial=first))
    arena.write(0, integers(ends[:-1]) + b"".join(records))
