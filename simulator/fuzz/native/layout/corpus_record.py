"""A corpus record: one sequence that brought coverage."""

from __future__ import annotations

from simulator.evm.kernel.records import Int64, Record, References, To
from simulator.fuzz.native.layout.transaction_record import TransactionRecord


class CorpusRecord(Record):
    sequence = To(References[TransactionRecord])
    count = Int64()
