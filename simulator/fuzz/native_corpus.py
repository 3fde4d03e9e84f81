"""The corpus as the native sequence builders see it: a table of sequences, each a table of transaction records."""

from __future__ import annotations

from collections.abc import Callable

from simulator.fuzz.arena import Arena, Memory, integers
from simulator.fuzz.native.layout import corpus_record
from simulator.fuzz.records import Template, pack_transaction, raw_template, template_of_call
from simulator.fuzz.target import TargetFunction
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction

MAX_ENTRIES = 1 << 16


class RecordWriter:
    """Turns transactions into records, with the function and template that argument mutation needs."""

    def __init__(self, functions: list[TargetFunction], record_of: Callable[[int], int]) -> None:
        self._record_of = record_of
        self._by_call: dict[tuple[bytes, bytes], TargetFunction] = {}
        self._fallbacks: dict[bytes, TargetFunction] = {}
        for target in functions:
            self.add(target)

    def add(self, target: TargetFunction) -> None:
        """Know another function."""
        address = target.deployed.address.to_bytes(20, "big")
        self._by_call[(address, target.selector)] = target
        if target.is_fallback:
            self._fallbacks[address] = target

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
        return pack_transaction(transaction, self._record_of(target.index), template.address if template else 0)

    def pack_plain(self, transaction: Transaction) -> bytes:
        """A record for execution only: without a template, so that nothing has to be decoded."""
        target = self.target(transaction)
        return pack_transaction(transaction, self._record_of(target.index) if target else 0, 0)


class NativeCorpus:
    """Entries are never changed or moved. Past `MAX_ENTRIES` the oldest are replaced."""

    def __init__(self, writer: RecordWriter, memory: Memory) -> None:
        self._writer = writer
        self._memory = memory
        self._table = Arena(MAX_ENTRIES * corpus_record.SIZE)
        self._owners: dict[int, tuple[Arena, list[Template]]] = {}
        self._added = 0

    @property
    def address(self) -> int:
        return self._table.address

    @property
    def count(self) -> int:
        return min(self._added, MAX_ENTRIES)

    def add(self, sequence: Sequence) -> None:
        """Make a sequence of at least one transaction available to the builders."""
        templates: list[Template] = []
        records = [self._writer.pack(transaction, templates) for transaction in sequence]
        table_size = 8 * len(records)
        arena = self._memory.arena(table_size + sum(map(len, records)))
        write_table(arena, records)
        place = self._added % MAX_ENTRIES
        self._owners[place] = (arena, templates)
        self._table.set_int(place * corpus_record.SIZE + corpus_record.SEQUENCE, arena.address)
        self._table.set_int(place * corpus_record.SIZE + corpus_record.COUNT, len(records))
        self._added += 1


def write_table(arena: Arena, records: list[bytes]) -> None:
    """A sequence as the loop executes it: at the arena's start a table of the addresses of its records, then these."""
    addresses, position = [], 8 * len(records)
    for record in records:
        addresses.append(arena.write(position, record))
        position += len(record)
    arena.write(0, integers(addresses))
