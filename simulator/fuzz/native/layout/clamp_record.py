"""A clamp record: what an argument of a function is bound to while sequences are built."""

from __future__ import annotations

from simulator.evm.kernel.records import Int64, Record, To, Word256, Words


class ClampRecord(Record):
    offset = Int64()  # of the argument's word, from the start of the calldata
    count = Int64()  # of values; 0 where the argument is bound to a range
    values = To(Words)
    low = Word256()
    span = Word256()  # high - low, so that one comparison without sign serves signed numbers as well
    mask = Word256()  # the bits of span, all set
