"""A log record: header, topics as words, data padded to whole words."""

from __future__ import annotations

from simulator.evm.kernel.records import Inline, Int64, Record, Word256, Words


class Log(Record):
    address = Word256()
    record_size = Int64()  # bytes up to the next record
    topic_count = Int64()
    data_size = Int64()
    depth = Int64()
    topics = Inline(Words, 0)
