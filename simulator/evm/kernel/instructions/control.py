"""0x00, 0x56, 0x57, 0x5a, 0xf3, 0xfd, 0xfe: control flow and the ends of frames."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.instructions.macros import count_side, end_block, halt, instruction, jump, touch_memory
from simulator.evm.kernel.layout import code, context
from simulator.evm.kernel.memory_access import load_i32, load_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import BAD_JUMP, INVALID_OPCODE, RETURN, REVERT, STOP, UNKNOWN_OPCODE
from simulator.evm.kernel.words import Word, is_zero, saturate, word


@kernel
def jump_target(c: int, destination: Word) -> int:
    """Address of the block header at a program counter, or 0 when it is no JUMPDEST."""
    running = load_i64(c + context.CODE)
    pc = saturate(destination)
    if pc >= load_i64(running + code.BYTES_SIZE):
        return 0
    offset = load_i32(load_i64(running + code.JUMPS) + 4 * pc)
    return load_i64(running + code.INSTRUCTIONS) + offset if offset else 0


@instruction("STOP")
def stop(memory: int, output: int, output_size: int) -> None:
    output = memory
    output_size = 0
    halt(STOP)


@instruction("JUMP")
def jump_dynamic(c: int, destination: Word) -> None:
    target = jump_target(c, destination)
    if target == 0:
        halt(BAD_JUMP)
    jump(target)


@instruction("JUMPI")
def jumpi_dynamic(c: int, cells: int, extra: int, destination: Word, condition: Word) -> None:
    """`extra` is the offset of the cells of the two sides."""
    if is_zero(condition):
        count_side(c, cells + extra)
        end_block()
    target = jump_target(c, destination)
    if target == 0:
        halt(BAD_JUMP)
    count_side(c, cells + extra + 8)
    jump(target)


@instruction("JUMP_STATIC")
def jump_static(argument: int) -> None:
    """PUSH and JUMP in one; the argument is the block header, or 0 for a bad jump."""
    if argument == 0:
        halt(BAD_JUMP)
    jump(argument)


@instruction("JUMPI_STATIC")
def jumpi_static(c: int, cells: int, extra: int, argument: int, condition: Word) -> None:
    """PUSH and JUMPI in one."""
    if is_zero(condition):
        count_side(c, cells + extra)
        end_block()
    if argument == 0:
        halt(BAD_JUMP)
    count_side(c, cells + extra + 8)
    jump(argument)


@instruction("NEXT_BLOCK")
def next_block() -> None:
    """The block ends here because the next instruction begins one."""
    end_block()


@instruction("GAS")
def gas_left(sp: int, gas: int) -> None:
    """Last of its block, so that the block's static gas is exactly what was used."""
    store_word(sp, word(gas))
    sp += 32
    end_block()


@instruction("RETURN")
def return_(
    c: int, gas: int, memory: int, memory_size: int, output: int, output_size: int, position: Word, length: Word
) -> None:
    offset = saturate(position)
    size = saturate(length)
    if size:
        touch_memory(c, gas, memory_size, offset + size)
    output = memory + offset
    output_size = size
    halt(RETURN)


@instruction("REVERT")
def revert(
    c: int, gas: int, memory: int, memory_size: int, output: int, output_size: int, position: Word, length: Word
) -> None:
    """EIP-140."""
    offset = saturate(position)
    size = saturate(length)
    if size:
        touch_memory(c, gas, memory_size, offset + size)
    output = memory + offset
    output_size = size
    halt(REVERT)


@instruction("INVALID")
def invalid() -> None:
    """The designated invalid instruction 0xfe (EIP-141)."""
    halt(INVALID_OPCODE)


@instruction("UNKNOWN")
def unknown() -> None:
    """A byte that is no instruction in this fork."""
    halt(UNKNOWN_OPCODE)
