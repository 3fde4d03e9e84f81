"""Precompiled contracts that run inside the kernel. The others are the host's, see `host/precompiles.py`."""

from __future__ import annotations

from simulator.evm.kernel.layout import context
from simulator.evm.kernel.memory import words_of
from simulator.evm.kernel.memory_access import load_i64, store_i64
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import NEXT_BLOCK, OUT_OF_GAS, RETURN

IDENTITY = 4
GAS_IDENTITY = 15
GAS_IDENTITY_WORD = 3


@kernel
def run_native_precompile(c: int, number: int) -> int:
    """Run precompile `number` on the frame's calldata. Returns a final status, with GAS reduced and FINISH_OUTPUT
    set, or NEXT_BLOCK when it is the host's."""
    if number != IDENTITY or load_i64(c + context.TRACING):
        return NEXT_BLOCK
    size = load_i64(c + context.CALLDATA_SIZE)
    gas = load_i64(c + context.GAS) - GAS_IDENTITY - GAS_IDENTITY_WORD * words_of(size)
    store_i64(c + context.FINISH_OUTPUT, load_i64(c + context.CALLDATA))
    store_i64(c + context.FINISH_OUTPUT_SIZE, size)
    if gas < 0:
        return OUT_OF_GAS
    store_i64(c + context.GAS, gas)
    return RETURN
