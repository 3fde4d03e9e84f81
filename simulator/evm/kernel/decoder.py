"""Code to instructions: blocks with headers, constants in words, static jumps resolved.

A block begins at the start, at a JUMPDEST, and after an instruction that ends one; what stands behind a STOP-like
instruction up to the next JUMPDEST cannot run and is left out. Blocks and JUMPIs are counted in order of their program
counters, which is the order of their coverage cells.
"""

from __future__ import annotations

from simulator.evm.kernel.layout import code, context, decode_entry, instruction
from simulator.evm.kernel.memory_access import (
    load_i32,
    load_i64,
    load_u8,
    load_word,
    load_word_be,
    store_i32,
    store_i64,
    store_word,
)
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.superinstructions import fuse_block
from simulator.evm.kernel.words import saturate, shift_right, word

CELL_BYTES = 8
STACK_LIMIT = 1024
FAR_TARGET = (1 << 31) - 1  # stands for every jump target past the end of any code
SUB_OPCODE = 0x03
ISZERO_OPCODE = 0x15
XOR_OPCODE = 0x18
JUMP_OPCODE = 0x56
JUMPI_OPCODE = 0x57
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


@kernel
def decode_argument(record: int, entry: int, constants: int, pc: int, opcode: int) -> int:
    """The argument of an ordinary instruction; a constant is written to the pool at `constants`."""
    operand = load_i32(entry + decode_entry.OPERAND)
    if operand == decode_entry.FIXED:
        return load_i32(entry + decode_entry.VALUE)
    if operand == decode_entry.CONSTANT:
        write_constant(constants, load_i64(record + code.BYTES), pc, opcode)
    elif operand == decode_entry.PROGRAM_COUNTER:
        store_word(constants, word(pc))
    elif operand == decode_entry.CODE_SIZE:
        store_word(constants, word(load_i64(record + code.BYTES_SIZE)))
    else:
        return 0
    return constants


@kernel
def feeds_branch(code_bytes: int, size: int, pc: int) -> bool:
    """Whether a result is only tested for zero: ISZERO follows, or a constant and JUMPI."""
    if pc >= size:
        return False
    opcode = load_u8(code_bytes + pc)
    behind = pc + 1 + push_bytes(opcode)
    return opcode == ISZERO_OPCODE or (
        behind > pc + 1 and behind < size and load_u8(code_bytes + behind) == JUMPI_OPCODE
    )


@kernel
def handler_of(entry: int, opcode: int, code_bytes: int, size: int, following: int) -> int:
    """The handler of an instruction that is no jump; comparisons in disguise have one that logs their operands."""
    if opcode in (SUB_OPCODE, XOR_OPCODE) and feeds_branch(code_bytes, size, following):
        return load_i32(entry + decode_entry.STATIC_HANDLER)
    return load_i32(entry + decode_entry.HANDLER)


@kernel
def decode(c: int, record: int, constants: int, blocks: int, branches: int) -> int:
    """Decode the BYTES of a code record to its INSTRUCTIONS and JUMPS, which are zeros and large enough.

    `constants` gets a word for each constant, `blocks` two int32 (start, end) for each block, `branches` an int32 for
    each JUMPI. COMMAND_A to COMMAND_D then hold the bytes of instructions, constants, and the numbers of blocks and
    branches.
    """
    table = load_i64(c + context.DECODE_TABLE)
    code_bytes = load_i64(record + code.BYTES)
    size = load_i64(record + code.DECODED_SIZE)
    base = load_i64(record + code.INSTRUCTIONS)
    next_block = load_i32(table + decode_entry.STATIC_HANDLER)
    target = base + instruction.SIZE
    store_i64(record + code.ENTRY, target)
    first_constant = constants
    block_count = 0
    branch_count = 0
    waiting_jump = 0
    reachable = True
    header = 0
    gas = 0
    height = 0
    minimum = 0
    maximum = 0
    pushed = 0
    pc = 0
    while pc <= size:
        opcode = load_u8(code_bytes + pc) if pc < size else 0
        entry = table + opcode * decode_entry.SIZE
        operand = load_i32(entry + decode_entry.OPERAND)
        starts = operand == decode_entry.BLOCK_START
        if starts and header:
            target = emit(target, next_block, pc, 0)
            fuse_block(c, header + instruction.SIZE, target)
            write_header(header, gas, minimum, maximum, CELL_BYTES * (block_count - 1))
            store_i32(blocks + 8 * block_count - 4, pc)
            header = 0
        if header == 0 and (starts or reachable):
            reachable = True
            header = target
            target += instruction.SIZE
            gas = 0
            height = 0
            minimum = 0
            maximum = 0
            pushed = 0
            store_i32(blocks + 8 * block_count, pc)
            block_count += 1
            if starts:
                store_i32(load_i64(record + code.JUMPS) + 4 * pc, header - base)
        # The STOP behind the last byte is reached also when a PUSH lacks data.
        following = min(pc + 1 + push_bytes(opcode), size) if pc < size else size + 1
        if header:
            gas += load_i32(entry + decode_entry.GAS)
            pops = load_i32(entry + decode_entry.POPS)
            minimum = max(minimum, pops - height)
            height += load_i32(entry + decode_entry.PUSHES) - pops
            maximum = max(maximum, height)
            if operand == decode_entry.JUMP or operand == decode_entry.BRANCH:
                handler = load_i32(entry + decode_entry.HANDLER)
                destination = FAR_TARGET
                if pushed:
                    target -= instruction.SIZE
                    handler = load_i32(entry + decode_entry.STATIC_HANDLER)
                    destination = saturate(load_word(load_i64(pushed + instruction.ARGUMENT)))
                    destination = min(destination, FAR_TARGET)
                emit(target, handler, 2 * CELL_BYTES * branch_count, 0)
                if pushed or operand == decode_entry.BRANCH:
                    waiting_jump = link_jump(base, target, waiting_jump, destination)
                target += instruction.SIZE
                pushed = 0
                if operand == decode_entry.BRANCH:
                    store_i32(branches + 4 * branch_count, pc)
                    branch_count += 1
            elif not starts:
                argument = decode_argument(record, entry, constants, pc, opcode)
                pushed = 0
                if argument == constants:
                    constants += 32
                    pushed = target
                handler = handler_of(entry, opcode, code_bytes, size, following)
                target = emit(target, handler, pc, argument)
            ending = load_i32(entry + decode_entry.ENDING)
            if ending != decode_entry.CONTINUES:
                fuse_block(c, header + instruction.SIZE, target)
                write_header(header, gas, minimum, maximum, CELL_BYTES * (block_count - 1))
                store_i32(blocks + 8 * block_count - 4, min(following, size))
                header = 0
                reachable = ending == decode_entry.ENDS_BLOCK
        pc = following
    resolve_jumps(c, record, waiting_jump, block_count)
    store_i64(c + context.COMMAND_A, target - base)
    store_i64(c + context.COMMAND_B, constants - first_constant)
    store_i64(c + context.COMMAND_C, block_count)
    store_i64(c + context.COMMAND_D, branch_count)
    return 0


@kernel
def decode_command(c: int) -> int:
    """Command: `decode` with its four arguments in COMMAND_A to COMMAND_D."""
    return decode(
        c,
        load_i64(c + context.COMMAND_A),
        load_i64(c + context.COMMAND_B),
        load_i64(c + context.COMMAND_C),
        load_i64(c + context.COMMAND_D),
    )
