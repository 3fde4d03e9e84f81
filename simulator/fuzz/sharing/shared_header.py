"""The start of the memory that a worker shares with its supervisor."""

from __future__ import annotations

from simulator.evm.kernel.records import Int64, Record, References, To
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.transaction_record import TransactionRecord


class SharedHeader(Record):
    """All addresses are the worker's."""

    base = Int64()  # address of this memory
    context = To(Fuzz)  # none before there is one
    held = To(References[TransactionRecord])  # a sequence that is not executed by the native loop
    held_count = Int64()  # 0 while there is none
