"""Writing decoded code: instructions, headers of blocks, constants, and jumps that learn their targets at the end."""

from __future__ import annotations

from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.memory_access import load_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Cell, pointer
from simulator.evm.kernel.words import shift_right, word

CELL_BYTES = 8
STACK_LIMIT = 1024
FAR_TARGET = (1 << 31) - 1  # stands for every jump target past the end of any code
JUMP_OPCODE = 0x56
PUSH1 = 0x60
PUSH32 = 0x7F


@kernel
def push_bytes(opcode: int) -> int:
    """Bytes of data behind an opcode."""
    return opcode - PUSH1 + 1 if PUSH1 <= opcode <= PUSH32 else 0


@kernel
def emit(target: Instruction, handler: int, extra: int, argument: int) -> int:
    """Write an instruction; returns the address behind it."""
    target.handler = handler
    target.extra = extra
    target.argument = argument
    return pointer(target) + Instruction.SIZE


@kernel
def write_header(header: Instruction, gas: int, minimum: int, maximum: int, cell: int) -> None:
    """`minimum` is the depth that the block needs, `maximum` how far above its start it grows, in words."""
    header.block_gas = gas
    header.block_minimum = 32 * minimum
    header.block_maximum = 32 * (STACK_LIMIT - maximum)
    header.block_cell = cell


@kernel
def write_constant(target: int, code_bytes: int, pc: int, opcode: int) -> None:
    """The word that a PUSH pushes; bytes past the end of the code are zeros, and stand there."""
    size = push_bytes(opcode)
    if size == 0:
        Cell(target).word = word(0)
    else:
        Cell(target).word = shift_right(load_word_be(code_bytes + pc + 1), word(8 * (32 - size)))


@kernel
def link_jump(base: int, jump: Instruction, previous: int, target: int) -> int:
    """Chain the jumps that wait for all blocks to be known: the argument holds the chain's next offset and the
    target."""
    jump.argument = previous << 32 | target
    return pointer(jump) - base


@kernel
def resolve_jumps(machine: Context, record: Code, last: int, blocks: int) -> None:
    """Give the chained jumps the addresses of their blocks, and the JUMPIs the offsets of their cells."""
    base = record.instructions
    jumps = record.jumps
    size = record.decoded_size
    table = machine.decode_table
    jump_handler = table[JUMP_OPCODE].static_handler
    while last != 0:
        jump = Instruction(base + last)
        argument = jump.argument
        target = argument & FAR_TARGET
        offset = jumps[target] if target < size else 0
        jump.argument = base + offset if offset else 0
        if jump.handler != jump_handler:
            jump.extra += CELL_BYTES * blocks
        last = argument >> 32
