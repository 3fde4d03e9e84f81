"""Dictionary words from what calls give back: return data and logs."""

from __future__ import annotations

from simulator.evm.kernel.layout import context as machine
from simulator.evm.kernel.layout import log
from simulator.evm.kernel.memory_access import load_i64, load_word, load_word_be, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import word
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.random_words import remember_word

MAX_RETURNED = 4
MAX_LOGGED = 4
MAX_LOGS = 8
SMALL = 1024


@kernel
def remember_bytes(f: int, start: int, size: int, most: int) -> int:
    """Remember the first whole words of some bytes, small numbers left out."""
    work = f + fuzz.WORK_WORD
    for index in range(min(size // 32, most)):
        store_word(work, load_word_be(start + 32 * index))
        if load_word(work) > word(SMALL):
            remember_word(f, work)
    return 0


@kernel
def remember_logs(f: int, c: int) -> int:
    """Remember topics (but the first, a signature's hash) and data of the first logs."""
    record = load_i64(c + machine.LOGS)
    end = load_i64(c + machine.LOGS_TOP)
    seen = 0
    while record < end and seen < MAX_LOGS:
        topics = load_i64(record + log.TOPIC_COUNT)
        for index in range(1, topics):
            if load_word(record + log.TOPICS + 32 * index) > word(SMALL):
                remember_word(f, record + log.TOPICS + 32 * index)
        remember_bytes(f, record + log.TOPICS + 32 * topics, load_i64(record + log.DATA_SIZE), MAX_LOGGED)
        record += load_i64(record + log.RECORD_SIZE)
        seen += 1
    return 0


@kernel
def harvest_results(f: int) -> int:
    """Remember what the call in hand, which succeeded, returned and logged."""
    c = load_i64(f + fuzz.MACHINE)
    remember_bytes(f, load_i64(c + machine.RETURNDATA), load_i64(c + machine.RETURNDATA_SIZE), MAX_RETURNED)
    return remember_logs(f, c)
