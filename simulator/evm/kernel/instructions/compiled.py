"""Not an instruction of the EVM: the place where a block goes on in compiled code."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.compiled_code import run_compiled
from simulator.evm.kernel.instructions.macros import halt, instruction, save_state
from simulator.evm.kernel.layout import context
from simulator.evm.kernel.layout import instruction as decoded
from simulator.evm.kernel.memory_access import load_i64
from simulator.evm.kernel.status import HANDED_OVER


@instruction("COMPILED")
def compiled(c: int, ip: int, sp: int, gas: int, memory_size: int, cell: int, output: int, output_size: int) -> None:
    """Stands in the place of a block's first instruction."""
    save_state()
    ended = run_compiled(c, ip - decoded.SIZE)
    gas = load_i64(c + context.GAS)
    cell = load_i64(c + context.CELL)
    if ended != HANDED_OVER:
        output = load_i64(c + context.FINISH_OUTPUT)
        output_size = load_i64(c + context.FINISH_OUTPUT_SIZE)
        halt(ended)
    sp = load_i64(c + context.SP)
    memory_size = load_i64(c + context.MEMORY_SIZE)
    ip = load_i64(c + context.IP) - decoded.SIZE  # every handler steps to the next instruction at its end
