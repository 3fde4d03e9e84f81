"""0x00, 0x56, 0x57, 0x5a, 0xf3, 0xfd, 0xfe: control flow and the ends of frames."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.instructions.macros import (
    count_side,
    end_block,
    halt,
    instruction,
    jump,
    save_state,
    touch_memory,
)
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Words
from simulator.evm.kernel.status import BAD_JUMP, INVALID_OPCODE, RETURN, REVERT, STOP, UNKNOWN_OPCODE
from simulator.evm.kernel.words import Word, is_zero, saturate, word


@kernel
def jump_target(machine: Context, destination: Word) -> int:
    """Address of the block header at a program counter, or 0 when it is no JUMPDEST."""
    running = machine.code
    pc = saturate(destination)
    if pc >= running.bytes_size:
        return 0
    offset = running.jumps[pc]
    return running.instructions + offset if offset else 0


@instruction("STOP")
def stop(memory: int, output: int, output_size: int) -> None:
    output = memory
    output_size = 0
    halt(STOP)


@instruction("JUMP")
def jump_dynamic(machine: Context, destination: Word) -> None:
    target = jump_target(machine, destination)
    if target == 0:
        halt(BAD_JUMP)
    jump(target)


@instruction("JUMPI")
def jumpi_dynamic(machine: Context, cells: int, extra: int, destination: Word, condition: Word) -> None:
    """`extra` is the offset of the cells of the two sides."""
    if is_zero(condition):
        count_side(machine, CoverageCell(cells + extra))
        end_block()
    target = jump_target(machine, destination)
    if target == 0:
        halt(BAD_JUMP)
    count_side(machine, CoverageCell(cells + extra + CoverageCell.SIZE))
    jump(target)


@instruction("JUMP_STATIC")
def jump_static(argument: int) -> None:
    """PUSH and JUMP in one; the argument is the block header, or 0 for a bad jump."""
    if argument == 0:
        halt(BAD_JUMP)
    jump(argument)


@instruction("JUMPI_STATIC")
def jumpi_static(machine: Context, cells: int, extra: int, argument: int, condition: Word) -> None:
    """PUSH and JUMPI in one."""
    if is_zero(condition):
        count_side(machine, CoverageCell(cells + extra))
        end_block()
    if argument == 0:
        halt(BAD_JUMP)
    count_side(machine, CoverageCell(cells + extra + CoverageCell.SIZE))
    jump(argument)


@instruction("NEXT_BLOCK")
def next_block() -> None:
    """The block ends here because the next instruction begins one."""
    end_block()


@instruction("GAS")
def gas_left(machine: Context, sp: Words, gas: int) -> None:
    """Last of its block, so that the block's static gas is exactly what was used."""
    sp[0] = word(machine.shown_gas if machine.shown_gas else gas)
    sp += 1
    end_block()


@instruction("RETURN")
def return_(
    machine: Context,
    gas: int,
    memory: int,
    memory_size: int,
    output: int,
    output_size: int,
    position: Word,
    length: Word,
) -> None:
    offset = saturate(position)
    size = saturate(length)
    if size:
        touch_memory(machine, gas, memory_size, offset + size)
    output = memory + offset
    output_size = size
    halt(RETURN)


@instruction("REVERT")
def revert(
    machine: Context,
    gas: int,
    memory: int,
    memory_size: int,
    output: int,
    output_size: int,
    position: Word,
    length: Word,
) -> None:
    """EIP-140. The stack tells where the frame fails."""
    save_state()
    offset = saturate(position)
    size = saturate(length)
    if size:
        touch_memory(machine, gas, memory_size, offset + size)
    output = memory + offset
    output_size = size
    halt(REVERT)


@instruction("INVALID")
def invalid() -> None:
    """The designated invalid instruction 0xfe (EIP-141)."""
    save_state()
    halt(INVALID_OPCODE)


@instruction("UNKNOWN")
def unknown() -> None:
    """A byte that is no instruction in this fork."""
    halt(UNKNOWN_OPCODE)
