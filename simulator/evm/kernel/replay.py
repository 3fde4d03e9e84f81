"""Executing a list of recorded transactions without leaving the kernel, for benchmarks."""

from __future__ import annotations

from simulator.evm.kernel.calls import CALL
from simulator.evm.kernel.layout import context, replay_record
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.running import run
from simulator.evm.kernel.status import EXIT, RETURN
from simulator.evm.kernel.transactions import begin_transaction, finish_transaction


@kernel
def prepare(c: int, record: int) -> int:
    """Fill the TX_ fields from a record; the log of comparisons begins anew with each call, as in a fuzz loop."""
    store_word(c + context.TX_SENDER, load_word(record + replay_record.SENDER))
    store_word(c + context.TX_VALUE, load_word(record + replay_record.VALUE))
    store_i64(c + context.TX_TO, load_i64(record + replay_record.TO))
    store_i64(c + context.TX_DATA, load_i64(record + replay_record.DATA))
    store_i64(c + context.TX_DATA_SIZE, load_i64(record + replay_record.DATA_SIZE))
    store_i64(c + context.TX_GAS, load_i64(record + replay_record.GAS))
    store_i64(c + context.TX_KIND, CALL)
    store_i64(c + context.TX_MINT, 1)
    store_i64(c + context.COMPARISONS_COUNT, 0)
    return 0


@kernel
def replay_command(c: int) -> int:
    """Command: execute COMMAND_B records from COMMAND_A on, each on the state that the ones before it left.

    Stops at the first exit, which a benchmark does not serve. COMMAND_C holds the number executed afterwards; returns
    how many succeeded.
    """
    record = load_i64(c + context.COMMAND_A)
    count = load_i64(c + context.COMMAND_B)
    succeeded = 0
    executed = 0
    while executed < count:
        prepare(c, record + executed * replay_record.SIZE)
        if begin_transaction(c) == EXIT:
            break
        status = run(c)
        if status == EXIT:
            break
        finish_transaction(c, status)
        if status <= RETURN:
            succeeded += 1
        executed += 1
    store_i64(c + context.COMMAND_C, executed)
    return succeeded
