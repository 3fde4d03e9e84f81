"""Oracles as the native loop checks them, and what it found."""

from __future__ import annotations

from simulator.evm.kernel.reads import READERS
from simulator.fuzz.arena import WORD_BYTES, Arena
from simulator.fuzz.native.layout import oracle_record
from simulator.fuzz.native.outcomes import CREDIT_START
from simulator.fuzz.oracles import Check, Oracle

SMALLEST_SIGNED = 1 << 255
MOST_TABLES = 64


class OracleTable:
    """Records in the order that the loop relies on: property calls, function assertions, then what looks at every call.

    Oracle ids are the campaign's; positions in the table are internal.
    """

    def __init__(self, oracles: list[Oracle], target: int) -> None:
        ordered = sorted(oracles, key=lambda oracle: (_rank(oracle.check), oracle.id))
        self._position = {oracle.id: place for place, oracle in enumerate(ordered)}
        self._id = [oracle.id for oracle in ordered]
        self._records = Arena(max(1, len(ordered)) * oracle_record.SIZE)
        self._outcomes: list[Arena] = []
        self.property_count = sum(1 for oracle in ordered if oracle.check.is_property_call)
        self.first_global = sum(1 for oracle in ordered if _rank(oracle.check) < 2)
        for place, oracle in enumerate(ordered):
            self._set_up(place * oracle_record.SIZE, oracle, target)
            self._set_reader(place)

    @property
    def address(self) -> int:
        return self._records.address

    @property
    def count(self) -> int:
        return len(self._id)

    def record(self, oracle: int) -> int:
        """Address of the record of the oracle with this id."""
        return self._records.address + oracle_record.SIZE * self._position[oracle]

    def set_open(self, oracle: int, is_open: bool) -> None:
        self._records.set_int(oracle_record.SIZE * self._position[oracle] + oracle_record.OPEN, int(is_open))

    def is_open(self, oracle: int) -> bool:
        return self._records.get_int(oracle_record.SIZE * self._position[oracle] + oracle_record.OPEN) != 0

    def open_ids(self) -> list[int]:
        return [oracle for oracle in sorted(self._id) if self.is_open(oracle)]

    def forget_reads(self) -> None:
        """The machine was recycled. The marks of what properties read in the deployed state are gone, and so is what
        their outcomes are remembered by: the loop begins anew with both."""
        for place in range(self.count):
            self._records.set_int(oracle_record.SIZE * place + oracle_record.KNOWN, 0)
            self._records.set_int(oracle_record.SIZE * place + oracle_record.CELL_COUNT, 0)

    def failures(self) -> dict[int, int]:
        """Oracle id -> index of the call after which it failed, for the sequence that was executed last."""
        found = {}
        for place, oracle in enumerate(self._id):
            index = self._records.get_int(oracle_record.SIZE * place + oracle_record.FAILED_AT)
            if index >= 0:
                found[oracle] = index
        return dict(sorted(found.items()))

    def status(self, oracle: int) -> int:
        """Status of the transaction or property call that failed."""
        return self._records.get_int(oracle_record.SIZE * self._position[oracle] + oracle_record.CODE)

    def best(self, oracle: int) -> int:
        """Greatest value that an optimization test returned, signed."""
        value = self._records.get_word(oracle_record.SIZE * self._position[oracle] + oracle_record.BEST)
        return value - (1 << 256) if value >= SMALLEST_SIGNED else value

    def set_best(self, oracle: int, value: int) -> None:
        place = oracle_record.SIZE * self._position[oracle]
        self._records.set_word(place + oracle_record.BEST, value % (1 << 256))

    def _set_reader(self, place: int) -> None:
        bit = 1 << (place % READERS)
        self._records.set_int(oracle_record.SIZE * place + oracle_record.READER, bit)
        self._records.set_int(oracle_record.SIZE * place + oracle_record.DUE_WHEN, bit)
        if place < min(self.property_count, MOST_TABLES):
            table = Arena(WORD_BYTES * oracle_record.OUTCOME_WORDS)
            self._outcomes.append(table)
            self._records.set_int(oracle_record.SIZE * place + oracle_record.OUTCOMES, table.address)
            self._records.set_int(oracle_record.SIZE * place + oracle_record.CREDIT, CREDIT_START)

    def _set_up(self, start: int, oracle: Oracle, target: int) -> None:
        self._records.set_int(start + oracle_record.CHECK, int(oracle.check))
        self._records.set_int(start + oracle_record.OPEN, 1)
        self._records.set_int(start + oracle_record.FAILED_AT, -1)
        self._records.set_word(start + oracle_record.TARGET, target)
        self._records.set_word(start + oracle_record.BEST, SMALLEST_SIGNED)
        if oracle.function is not None:
            self._records.write(start + oracle_record.SELECTOR, oracle.function.selector)


def _rank(check: Check) -> int:
    if check.is_property_call:
        return 0
    return 1 if check is Check.FUNCTION_ASSERTS else 2
