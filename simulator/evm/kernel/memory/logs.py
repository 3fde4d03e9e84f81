"""LOG0 to LOG4: records in an arena whose top falls back when a frame reverts."""

from __future__ import annotations

from simulator.evm.kernel.exits import arena_full
from simulator.evm.kernel.feedback.failures import note_event
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.log import Log
from simulator.evm.kernel.memory.memory import expand, words_of
from simulator.evm.kernel.memory_access import copy_memory
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Words, pointer
from simulator.evm.kernel.status import ARENA_LOGS, STATIC_VIOLATION
from simulator.evm.kernel.words import saturate

GAS_LOG_BYTE = 8


@kernel
def watch_topic(machine: Context, record: Log) -> None:
    """Set `watched_event` when the first topic is a watched one."""
    topic = record.topics[0]
    for index in range(machine.watched_count):
        if machine.watched_topics[index] == topic:
            machine.watched_event = True
            note_event(machine, record)
            return


@kernel
def append_log(machine: Context, sp: Words, count: int, data: int, size: int) -> None:
    """Append a record; its topics lie below the two words at the top of the stack. A size of 0 follows it."""
    record = machine.logs_top
    record.address = machine.address
    record.topic_count = count
    record.data_size = size
    record.depth = machine.depth
    topics = record.topics
    for index in range(count):
        topics[index] = sp[-3 - index]
    target = pointer(topics + count)
    if size:
        copy_memory(target, data, size)
    end = Log(target + 32 * words_of(size))
    record.record_size = pointer(end) - pointer(record)
    end.record_size = 0
    machine.logs_top = end
    machine.last_log = record
    if count:
        watch_topic(machine, record)


@kernel
def write_log(machine: Context, sp: Words, count: int, gas: int) -> int:
    """LOGn. Returns the gas left, or -status; after -EXIT nothing has changed."""
    if machine.static:
        return -STATIC_VIOLATION
    offset = saturate(sp[-1])
    size = saturate(sp[-2])
    before = machine.memory_size
    gas = expand(machine, offset, size, gas - GAS_LOG_BYTE * size)
    if gas < 0:
        return gas
    room = machine.logs_end - pointer(machine.logs_top)
    if room < 2 * Log.topics.offset + 32 * count + size + 32:
        machine.memory_size = before
        return -arena_full(machine, ARENA_LOGS)
    append_log(machine, sp, count, machine.memory + offset, size)
    return gas
