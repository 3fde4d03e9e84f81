"""Not an instruction of the EVM: the place where a block continues in compiled code."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.code.compiled_code import run_compiled
from simulator.evm.kernel.instructions.macros import halt, instruction, save_state
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.records import Words
from simulator.evm.kernel.status import HANDED_OVER


@instruction("COMPILED")
def compiled(
    machine: Context, ip: int, sp: Words, gas: int, memory_size: int, cell: CoverageCell, output: int, output_size: int
) -> None:
    """Stands in the place of a block's first instruction."""
    save_state()
    ended = run_compiled(machine, Instruction(ip - Instruction.SIZE))
    gas = machine.gas
    cell = machine.cell
    if ended != HANDED_OVER:
        output = machine.finish_output
        output_size = machine.finish_output_size
        halt(ended)
    sp = machine.sp
    memory_size = machine.memory_size
    ip = machine.ip - Instruction.SIZE  # every handler steps to the next instruction at its end
