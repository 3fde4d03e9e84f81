"""Precompiled contracts that run inside the kernel. The others are the host's, see `host/precompiles.py`."""

from __future__ import annotations

from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory.memory import words_of
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import NEXT_BLOCK, OUT_OF_GAS, RETURN

IDENTITY = 4
GAS_IDENTITY = 15
GAS_IDENTITY_WORD = 3


@kernel
def run_native_precompile(machine: Context, number: int) -> int:
    """Run precompile `number` on the frame's calldata. Returns a final status, with `gas` reduced and `finish_output`
    set, or NEXT_BLOCK when it is the host's."""
    if number != IDENTITY or machine.tracing or machine.watching:
        return NEXT_BLOCK
    size = machine.calldata_size
    gas = machine.gas - GAS_IDENTITY - GAS_IDENTITY_WORD * words_of(size)
    machine.finish_output = machine.calldata
    machine.finish_output_size = size
    if gas < 0:
        return OUT_OF_GAS
    machine.gas = gas
    return RETURN
