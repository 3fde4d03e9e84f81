"""LOG0 to LOG4: records in an arena whose top falls back when a frame reverts."""

from __future__ import annotations

from simulator.evm.kernel.exits import arena_full
from simulator.evm.kernel.layout import context, log
from simulator.evm.kernel.memory import expand, words_of
from simulator.evm.kernel.memory_access import copy_memory, load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import ARENA_LOGS, STATIC_VIOLATION
from simulator.evm.kernel.words import saturate

GAS_LOG_BYTE = 8


@kernel
def watch_topic(c: int, topics: int) -> int:
    """Set WATCHED_EVENT when the first topic is a watched one."""
    topic = load_word(topics)
    for index in range(load_i64(c + context.WATCHED_COUNT)):
        if load_word(c + context.WATCHED_TOPICS + 32 * index) == topic:
            store_i64(c + context.WATCHED_EVENT, 1)
    return 0


@kernel
def append_log(c: int, sp: int, count: int, data: int, size: int) -> int:
    """Append a record; its topics lie below the two words at the top of the stack. A size of 0 follows it."""
    record = load_i64(c + context.LOGS_TOP)
    store_word(record + log.ADDRESS, load_word(c + context.ADDRESS))
    store_i64(record + log.TOPIC_COUNT, count)
    store_i64(record + log.DATA_SIZE, size)
    store_i64(record + log.DEPTH, load_i64(c + context.DEPTH))
    topics = record + log.TOPICS
    for index in range(count):
        store_word(topics + 32 * index, load_word(sp - 96 - 32 * index))
    target = topics + 32 * count
    if size:
        copy_memory(target, data, size)
    end = target + 32 * words_of(size)
    store_i64(record + log.RECORD_SIZE, end - record)
    store_i64(end + log.RECORD_SIZE, 0)
    store_i64(c + context.LOGS_TOP, end)
    if count:
        watch_topic(c, topics)
    return 0


@kernel
def write_log(c: int, sp: int, count: int, gas: int) -> int:
    """LOGn. Returns the gas left, or -status; after -EXIT nothing has changed."""
    if load_i64(c + context.STATIC):
        return -STATIC_VIOLATION
    offset = saturate(load_word(sp - 32))
    size = saturate(load_word(sp - 64))
    before = load_i64(c + context.MEMORY_SIZE)
    gas = expand(c, offset, size, gas - GAS_LOG_BYTE * size)
    if gas < 0:
        return gas
    room = load_i64(c + context.LOGS_END) - load_i64(c + context.LOGS_TOP)
    if room < 2 * log.TOPICS + 32 * count + size + 32:
        store_i64(c + context.MEMORY_SIZE, before)
        return -arena_full(c, ARENA_LOGS)
    append_log(c, sp, count, load_i64(c + context.MEMORY) + offset, size)
    return gas
