"""The comparison log: operands of comparisons, for a fuzzer that wants to know what a branch waits for."""

from __future__ import annotations

from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import Word


@kernel
def append_comparison(machine: Context, left: Word, right: Word, pc: int) -> int:
    """Write the next record of the ring; the oldest one goes."""
    count = machine.comparisons_count
    index = count & machine.comparisons_mask
    record = machine.comparisons[index]
    record.left = left
    record.right = right
    record.code_id = machine.code.id
    record.pc = pc
    machine.comparisons_count = count + 1
    return 0
