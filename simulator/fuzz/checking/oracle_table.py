"""Oracles as the native loop checks them, and what it found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel.feedback.reads import READERS
from simulator.evm.kernel.records import Records, Words
from simulator.fuzz.arena import WORD_BYTES, MemoryBlock
from simulator.fuzz.checking.oracles import Check, Oracle
from simulator.fuzz.native.layout.oracle_record import MAX_SITE_KEYS, OUTCOME_WORDS, OracleRecord
from simulator.fuzz.native.outcomes import CREDIT_START
from simulator.fuzz.native.sites import BY_ENDING, BY_EVENT, ONE_SITE

MIN_SIGNED = 1 << 255
MAX_TABLES = 64


class SiteKeys(NamedTuple):
    """`site` tells it from all others. `place` is the same for all callers of the function that fails, `family` for all
    numbers in its message."""

    site: int
    place: int
    family: int


class OracleTable:
    """Records in the order that the loop relies on: property calls, function assertions, then what looks at every call.

    Oracle ids are the campaign's; positions in the table are internal. `hidden` oracles are no tests: they are always
    open, and never fail themselves.
    """

    def __init__(self, oracles: list[Oracle], target: int, hidden: Iterable[Oracle] = ()) -> None:
        self._hidden = frozenset(oracle.id for oracle in hidden)
        ordered = sorted([*oracles, *hidden], key=lambda oracle: (_rank(oracle.check), oracle.id))
        self._position = {oracle.id: place for place, oracle in enumerate(ordered)}
        self._id = [oracle.id for oracle in ordered]
        self._memory = MemoryBlock(max(1, len(ordered)) * OracleRecord.SIZE)
        self.records = view(Records[OracleRecord], self._memory.address)
        self._outcomes: list[MemoryBlock] = []
        self.property_count = sum(1 for oracle in ordered if oracle.check.is_property_call)
        self.first_global = sum(1 for oracle in ordered if _rank(oracle.check) < 2)
        for place, oracle in enumerate(ordered):
            self._set_up(self.records[place], oracle, target)
            self._set_reader(place)

    @property
    def count(self) -> int:
        return len(self._id)

    def record(self, oracle: int) -> OracleRecord:
        """The record of the oracle with this id."""
        return self.records[self._position[oracle]]

    def set_open(self, oracle: int, is_open: bool) -> None:
        self.record(oracle).open = is_open

    def is_skipped(self, oracle: int) -> bool:
        """Return whether a call of this test has skipped itself."""
        return self.record(oracle).skipped

    def is_open(self, oracle: int) -> bool:
        return self.record(oracle).open

    def has_failed(self, oracle: int) -> bool:
        """Return whether a site is settled at which this test fails."""
        return self.record(oracle).site_count > 0

    def open_ids(self) -> list[int]:
        return [oracle for oracle in sorted(self._id) if self.is_open(oracle) and oracle not in self._hidden]

    def forget_reads(self) -> None:
        """The machine was recycled. The marks of what properties read in the deployed state are gone, and so is what
        their outcomes are remembered by: the loop begins anew with both."""
        for place in range(self.count):
            self.records[place].known = False
            self.records[place].cell_count = 0

    def failures(self) -> dict[int, int]:
        """Oracle id -> index of the call after which it failed, for the sequence that was executed last."""
        found = {}
        for place, oracle in enumerate(self._id):
            index = self.records[place].failed_at
            if index >= 0:
                found[oracle] = index
        return dict(sorted(found.items()))

    def failure_keys(self) -> dict[int, SiteKeys]:
        """Oracle id -> keys of the site at which it failed in that sequence."""
        records = {oracle: self.record(oracle) for oracle in self.failures()}
        return {oracle: SiteKeys(record.site, record.place, record.family) for oracle, record in records.items()}

    def settle(self, oracle: int, keys: Iterable[int]) -> None:
        """Failing at the sites of these keys is nothing new from now on, and at all others it is. Keys that find no
        room are left out."""
        record = self.record(oracle)
        kept = list(keys)[:MAX_SITE_KEYS]
        for index, key in enumerate(kept):
            record.sites[index] = key
        record.site_count = len(kept)
        record.cell_count = 0  # What is remembered of its outcomes holds for the sites of before.

    def id_at(self, position: int) -> int:
        """The id of the oracle whose record stands at a position."""
        return self._id[position]

    def status(self, oracle: int) -> int:
        """Status of the transaction or property call that failed."""
        return self.record(oracle).code

    def best(self, oracle: int) -> int:
        """Greatest value that an optimization test returned, signed."""
        value: int = self.record(oracle).best
        return value - (1 << 256) if value >= MIN_SIGNED else value

    def set_best(self, oracle: int, value: int) -> None:
        self.record(oracle).best = as_word(value % (1 << 256))

    def _set_reader(self, place: int) -> None:
        record = self.records[place]
        record.reader = record.due_when = 1 << (place % READERS)
        if place < min(self.property_count, MAX_TABLES):
            table = MemoryBlock(WORD_BYTES * OUTCOME_WORDS)
            self._outcomes.append(table)
            record.outcomes = view(Words, table.address)
            record.credit = CREDIT_START

    def _set_up(self, record: OracleRecord, oracle: Oracle, target: int) -> None:
        record.check = int(oracle.check)
        record.strict = oracle.strict
        record.depth = oracle.depth
        record.located = _locating(oracle.check)
        record.open = True
        record.failed_at = -1
        record.target = as_word(target if oracle.address is None else oracle.address)
        record.best = as_word(MIN_SIGNED)
        if oracle.function is not None:
            record.selector = int.from_bytes(oracle.function.selector, "little")


def _locating(check: Check) -> int:
    match check:
        case Check.FUNCTION_ASSERTS | Check.ASSERTION_EVENT:
            return BY_EVENT
        case Check.PROPERTY_TRUE | Check.OVERFLOW | Check.FOUNDRY_TEST:
            return BY_ENDING
        case _:
            return ONE_SITE


def _rank(check: Check) -> int:
    if check.is_property_call:
        return 0
    return 1 if check.watches_function else 2
