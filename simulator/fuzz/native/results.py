"""Dictionary words from what calls give back: return data and logs."""

from __future__ import annotations

from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.log import Log
from simulator.evm.kernel.memory_access import load_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Cell, pointer
from simulator.evm.kernel.words import word
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.random_words import remember_word

MAX_RETURNED = 4
MAX_LOGGED = 4
MAX_LOGS = 8
SMALL = 1024


@kernel
def remember_bytes(fuzz: Fuzz, data: int, size: int, most: int) -> None:
    """Remember the first whole words of some bytes, small numbers left out."""
    work = fuzz.work_word
    for index in range(min(size // 32, most)):
        work.word = load_word_be(data + 32 * index)
        if work.word > word(SMALL):
            remember_word(fuzz, work)


@kernel
def remember_logs(fuzz: Fuzz, machine: Context) -> None:
    """Remember topics (but the first, a signature's hash) and data of the first logs."""
    log = machine.logs
    seen = 0
    while log != machine.logs_top and seen < MAX_LOGS:
        count = log.topic_count
        for index in range(1, count):
            if log.topics[index] > word(SMALL):
                remember_word(fuzz, Cell(pointer(log.topics + index)))
        remember_bytes(fuzz, pointer(log.topics + count), log.data_size, MAX_LOGGED)
        log = Log(pointer(log) + log.record_size)
        seen += 1


@kernel
def harvest_results(fuzz: Fuzz) -> None:
    """Remember what the current call, which succeeded, returned and logged."""
    machine = fuzz.machine
    remember_bytes(fuzz, machine.returndata, machine.returndata_size, MAX_RETURNED)
    remember_logs(fuzz, machine)
