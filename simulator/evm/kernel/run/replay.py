"""Executing a list of recorded transactions without leaving the kernel, for benchmarks."""

from __future__ import annotations

from simulator.evm.kernel.calls.calls import CALL
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.replay_record import ReplayRecord
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.run.running import run
from simulator.evm.kernel.run.transactions import begin_transaction, finish_transaction
from simulator.evm.kernel.status import EXIT, RETURN


@kernel
def prepare(machine: Context, record: ReplayRecord) -> None:
    """Fill the TX_ fields from a record; the log of comparisons begins anew with each call, as in a fuzz loop."""
    machine.tx_sender = record.sender
    machine.tx_value = record.value
    machine.tx_to = record.to
    machine.tx_data = record.data
    machine.tx_data_size = record.data_size
    machine.tx_gas = record.gas
    machine.tx_kind = CALL
    machine.tx_mint = True
    machine.comparisons_count = 0


@kernel
def replay_command(machine: Context) -> int:
    """Command: execute `command_b` records from `command_a` on, each on the state that the ones before it left.

    Stops at the first exit, which a benchmark does not serve. `command_c` holds the number executed afterwards; returns
    how many succeeded.
    """
    record = machine.command_a
    count = machine.command_b
    succeeded = 0
    executed = 0
    while executed < count:
        prepare(machine, ReplayRecord(record + executed * ReplayRecord.SIZE))
        if begin_transaction(machine) == EXIT:
            break
        status = run(machine)
        if status == EXIT:
            break
        finish_transaction(machine, status)
        if status <= RETURN:
            succeeded += 1
        executed += 1
    machine.command_c = executed
    return succeeded
