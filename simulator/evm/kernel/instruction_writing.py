"""Writing decoded code: instructions, headers of blocks, constants, and jumps that learn their targets at the end."""

from __future__ import annotations

from simulator.evm.kernel.layout import code, context, decode_entry, instruction
from simulator.evm.kernel.memory_access import load_i32, load_i64, load_word_be, store_i32, store_i64, store_word
from simulator.evm.kernel.mode import kernel
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
def emit(target: int, handler: int, extra: int, argument: int) -> int:
    """Write an instruction; returns the address behind it."""
    store_i32(target + instruction.HANDLER, handler)
    store_i32(target + instruction.EXTRA, extra)
    store_i64(target + instruction.ARGUMENT, argument)
    return target + instruction.SIZE


@kernel
def write_header(header: int, gas: int, minimum: int, maximum: int, cell: int) -> int:
    """`minimum` is the depth that the block needs, `maximum` how far above its start it grows, in words."""
    store_i32(header + instruction.BLOCK_GAS, gas)
    store_i32(header + instruction.BLOCK_MINIMUM, 32 * minimum)
    store_i32(header + instruction.BLOCK_MAXIMUM, 32 * (STACK_LIMIT - maximum))
    store_i32(header + instruction.BLOCK_CELL, cell)
    return 0


@kernel
def write_constant(target: int, code_bytes: int, pc: int, opcode: int) -> int:
    """The word that a PUSH pushes; bytes past the end of the code are zeros, and stand there."""
    size = push_bytes(opcode)
    if size == 0:
        store_word(target, word(0))
    else:
        store_word(target, shift_right(load_word_be(code_bytes + pc + 1), word(8 * (32 - size))))
    return 0


@kernel
def link_jump(base: int, jump: int, previous: int, target: int) -> int:
    """Chain the jumps that wait for all blocks to be known: the argument holds the chain's next offset and the
    target."""
    store_i64(jump + instruction.ARGUMENT, (previous << 32) | target)
    return jump - base


@kernel
def resolve_jumps(c: int, record: int, last: int, blocks: int) -> int:
    """Give the chained jumps the addresses of their blocks, and the JUMPIs the offsets of their cells."""
    base = load_i64(record + code.INSTRUCTIONS)
    jumps = load_i64(record + code.JUMPS)
    size = load_i64(record + code.DECODED_SIZE)
    table = load_i64(c + context.DECODE_TABLE)
    jump_handler = load_i32(table + JUMP_OPCODE * decode_entry.SIZE + decode_entry.STATIC_HANDLER)
    while last != 0:
        jump = base + last
        argument = load_i64(jump + instruction.ARGUMENT)
        target = argument & FAR_TARGET
        offset = load_i32(jumps + 4 * target) if target < size else 0
        store_i64(jump + instruction.ARGUMENT, base + offset if offset else 0)
        if load_i32(jump + instruction.HANDLER) != jump_handler:
            store_i32(jump + instruction.EXTRA, load_i32(jump + instruction.EXTRA) + CELL_BYTES * blocks)
        last = argument >> 32
    return 0
