"""Logs of a transaction, as the kernel keeps them and as Python sees them."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.evm.arenas import read_bytes
from simulator.evm.host_memory import view
from simulator.evm.kernel.layout.log import Log as LogRecord
from simulator.evm.kernel.records import pointer
from simulator.evm.results import EmittedLog


def read_log(record: LogRecord) -> EmittedLog:
    count = record.topic_count
    return EmittedLog(
        address=record.address,
        topics=tuple(record.topics[index] for index in range(count)),
        data=read_bytes(pointer(record.topics + count), record.data_size),
        depth=record.depth,
    )


def log_records(first: LogRecord, end: LogRecord) -> Iterator[LogRecord]:
    """Log records from one up to another one."""
    while pointer(first) < pointer(end):
        yield first
        first = next_log_record(first)


def next_log_record(record: LogRecord) -> LogRecord:
    """Return the place of the record behind this one, present or future."""
    return view(LogRecord, pointer(record) + record.record_size)
