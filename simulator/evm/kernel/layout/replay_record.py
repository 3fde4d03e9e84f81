"""A recorded transaction for the replay command."""

from __future__ import annotations

from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.records import Int64, Record, To, Word256


class ReplayRecord(Record):
    sender = Word256()
    value = Word256()
    to = To(Account)
    data = Int64()
    data_size = Int64()
    gas = Int64()
