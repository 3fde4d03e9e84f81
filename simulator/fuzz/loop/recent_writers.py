"""Calls that lately wrote what properties read, from the ring that the native loop keeps."""

from __future__ import annotations

from simulator.evm.arenas import read_bytes
from simulator.evm.host_memory import view
from simulator.fuzz.native.layout.context import WRITER_COUNT, WRITER_SIZE, Fuzz
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.records import unpack_transaction
from simulator.transaction import Transaction


class RecentWriters:
    """Reads the ring. Few places change from one reading to the next, so that each is decoded only where it did."""

    def __init__(self, record: Fuzz) -> None:
        self._record = record
        self._known: dict[int, tuple[bytes, Transaction]] = {}

    def read(self) -> list[Transaction]:
        """The calls, the newest first."""
        last = self._record.writer_next
        return [self._at(number % WRITER_COUNT) for number in range(last - 1, max(0, last - WRITER_COUNT) - 1, -1)]

    def _at(self, place: int) -> Transaction:
        address = self._record.writers + WRITER_SIZE * place
        data = read_bytes(address, WRITER_SIZE)
        known = self._known.get(place)
        if known is None or known[0] != data:
            known = self._known[place] = data, unpack_transaction(view(TransactionRecord, address))
        return known[1]
