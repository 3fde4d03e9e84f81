"""Code to instructions: blocks with headers, constants in words, static jumps resolved.

A block begins at the start, at a JUMPDEST, and after an instruction that ends one; what stands behind a STOP-like
instruction up to the next JUMPDEST cannot run and is left out. Blocks and JUMPIs are counted in order of their program
counters, which is the order of their coverage cells.
"""

from __future__ import annotations

from simulator.evm.kernel.instruction_writing import (
    CELL_BYTES,
    FAR_TARGET,
    emit,
    link_jump,
    push_bytes,
    resolve_jumps,
    write_constant,
    write_header,
)
from simulator.evm.kernel.layout import code, context, decode_entry, decoding, instruction
from simulator.evm.kernel.memory_access import (
    load_i32,
    load_i64,
    load_u8,
    load_word,
    store_i32,
    store_i64,
    store_word,
)
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.superinstructions import fuse_block
from simulator.evm.kernel.words import saturate, word

SUB_OPCODE = 0x03
ISZERO_OPCODE = 0x15
XOR_OPCODE = 0x18
JUMPI_OPCODE = 0x57
STOP_OPCODE = 0x00


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
def begin_decoding(c: int, record: int, constants: int, blocks: int, branches: int) -> int:
    """Returns the address of the decoder's state, ready for the first byte of a code."""
    d = c + context.DECODING
    store_i64(d + decoding.RECORD, record)
    store_i64(d + decoding.TARGET, load_i64(record + code.INSTRUCTIONS) + instruction.SIZE)
    store_i64(record + code.ENTRY, load_i64(d + decoding.TARGET))
    store_i64(d + decoding.CONSTANTS, constants)
    store_i64(d + decoding.BLOCKS, blocks)
    store_i64(d + decoding.BLOCK_COUNT, 0)
    store_i64(d + decoding.BRANCHES, branches)
    store_i64(d + decoding.BRANCH_COUNT, 0)
    store_i64(d + decoding.WAITING_JUMP, 0)
    store_i64(d + decoding.REACHABLE, 1)
    store_i64(d + decoding.HEADER, 0)
    return d


@kernel
def open_block(d: int, pc: int, is_jump_target: bool) -> int:
    """A block begins at `pc`; room for its header is left before its first instruction."""
    record = load_i64(d + decoding.RECORD)
    header = load_i64(d + decoding.TARGET)
    number = load_i64(d + decoding.BLOCK_COUNT)
    store_i64(d + decoding.HEADER, header)
    store_i64(d + decoding.TARGET, header + instruction.SIZE)
    store_i64(d + decoding.REACHABLE, 1)
    store_i64(d + decoding.BLOCK_GAS, 0)
    store_i64(d + decoding.HEIGHT, 0)
    store_i64(d + decoding.MINIMUM, 0)
    store_i64(d + decoding.MAXIMUM, 0)
    store_i64(d + decoding.PUSHED, 0)
    store_i32(load_i64(d + decoding.BLOCKS) + 8 * number, pc)
    store_i64(d + decoding.BLOCK_COUNT, number + 1)
    if is_jump_target:
        store_i32(load_i64(record + code.JUMPS) + 4 * pc, header - load_i64(record + code.INSTRUCTIONS))
    return 0


@kernel
def close_block(c: int, d: int, end: int) -> int:
    """The open block ends before the byte `end`: join its instructions and write its header."""
    header = load_i64(d + decoding.HEADER)
    number = load_i64(d + decoding.BLOCK_COUNT) - 1
    fuse_block(c, header + instruction.SIZE, load_i64(d + decoding.TARGET))
    write_header(
        header,
        load_i64(d + decoding.BLOCK_GAS),
        load_i64(d + decoding.MINIMUM),
        load_i64(d + decoding.MAXIMUM),
        CELL_BYTES * number,
    )
    store_i32(load_i64(d + decoding.BLOCKS) + 8 * number + 4, end)
    store_i64(d + decoding.HEADER, 0)
    return 0


@kernel
def fall_into(c: int, d: int, pc: int) -> int:
    """The open block runs into the JUMPDEST at `pc`."""
    table = load_i64(c + context.DECODE_TABLE)
    next_block = load_i32(table + decode_entry.STATIC_HANDLER)
    store_i64(d + decoding.TARGET, emit(load_i64(d + decoding.TARGET), next_block, pc, 0))
    return close_block(c, d, pc)


@kernel
def count_effects(d: int, entry: int) -> int:
    """Add an instruction's static gas and its effect on the stack to the open block."""
    pops = load_i32(entry + decode_entry.POPS)
    height = load_i64(d + decoding.HEIGHT)
    store_i64(d + decoding.BLOCK_GAS, load_i64(d + decoding.BLOCK_GAS) + load_i32(entry + decode_entry.GAS))
    store_i64(d + decoding.MINIMUM, max(load_i64(d + decoding.MINIMUM), pops - height))
    height += load_i32(entry + decode_entry.PUSHES) - pops
    store_i64(d + decoding.HEIGHT, height)
    store_i64(d + decoding.MAXIMUM, max(load_i64(d + decoding.MAXIMUM), height))
    return 0


@kernel
def write_jump(d: int, entry: int, pc: int) -> int:
    """A JUMP or JUMPI. With a constant pushed right before, it takes the place of that PUSH and waits for its block."""
    is_branch = load_i32(entry + decode_entry.OPERAND) == decode_entry.BRANCH
    pushed = load_i64(d + decoding.PUSHED)
    target = load_i64(d + decoding.TARGET)
    branch = load_i64(d + decoding.BRANCH_COUNT)
    handler = load_i32(entry + decode_entry.HANDLER)
    destination = FAR_TARGET
    if pushed:
        target -= instruction.SIZE
        handler = load_i32(entry + decode_entry.STATIC_HANDLER)
        destination = min(saturate(load_word(load_i64(pushed + instruction.ARGUMENT))), FAR_TARGET)
    store_i64(d + decoding.TARGET, emit(target, handler, 2 * CELL_BYTES * branch, 0))
    store_i64(d + decoding.PUSHED, 0)
    if pushed or is_branch:
        base = load_i64(load_i64(d + decoding.RECORD) + code.INSTRUCTIONS)
        waiting = load_i64(d + decoding.WAITING_JUMP)
        store_i64(d + decoding.WAITING_JUMP, link_jump(base, target, waiting, destination))
    if is_branch:
        store_i32(load_i64(d + decoding.BRANCHES) + 4 * branch, pc)
        store_i64(d + decoding.BRANCH_COUNT, branch + 1)
    return 0


@kernel
def write_ordinary(d: int, entry: int, opcode: int, pc: int, following: int) -> int:
    """An instruction that is no jump, and the constant that it pushes."""
    record = load_i64(d + decoding.RECORD)
    constants = load_i64(d + decoding.CONSTANTS)
    target = load_i64(d + decoding.TARGET)
    argument = decode_argument(record, entry, constants, pc, opcode)
    handler = handler_of(entry, opcode, load_i64(record + code.BYTES), load_i64(record + code.DECODED_SIZE), following)
    store_i64(d + decoding.TARGET, emit(target, handler, pc, argument))
    store_i64(d + decoding.PUSHED, 0)
    if argument == constants:
        store_i64(d + decoding.CONSTANTS, constants + 32)
        store_i64(d + decoding.PUSHED, target)
    return 0


@kernel
def write_instruction(c: int, d: int, entry: int, opcode: int, pc: int, following: int) -> int:
    """The instruction at `pc`, in the open block, which it may end."""
    operand = load_i32(entry + decode_entry.OPERAND)
    ending = load_i32(entry + decode_entry.ENDING)
    count_effects(d, entry)
    if operand == decode_entry.JUMP or operand == decode_entry.BRANCH:
        write_jump(d, entry, pc)
    elif operand != decode_entry.BLOCK_START:
        write_ordinary(d, entry, opcode, pc, following)
    if ending != decode_entry.CONTINUES:
        close_block(c, d, min(following, load_i64(load_i64(d + decoding.RECORD) + code.DECODED_SIZE)))
        store_i64(d + decoding.REACHABLE, 1 if ending == decode_entry.ENDS_BLOCK else 0)
    return 0


@kernel
def decode_at(c: int, d: int, pc: int) -> int:
    """Decode the opcode at `pc`, a STOP behind the last byte; returns where the next one stands."""
    record = load_i64(d + decoding.RECORD)
    size = load_i64(record + code.DECODED_SIZE)
    opcode = load_u8(load_i64(record + code.BYTES) + pc) if pc < size else STOP_OPCODE
    # The STOP behind the last byte is reached also when a PUSH lacks data.
    following = min(pc + 1 + push_bytes(opcode), size) if pc < size else size + 1
    entry = load_i64(c + context.DECODE_TABLE) + opcode * decode_entry.SIZE
    is_jump_target = load_i32(entry + decode_entry.OPERAND) == decode_entry.BLOCK_START
    if is_jump_target and load_i64(d + decoding.HEADER):
        fall_into(c, d, pc)
    if load_i64(d + decoding.HEADER) == 0 and (is_jump_target or load_i64(d + decoding.REACHABLE)):
        open_block(d, pc, is_jump_target)
    if load_i64(d + decoding.HEADER):
        write_instruction(c, d, entry, opcode, pc, following)
    return following


@kernel
def decode(c: int, record: int, constants: int, blocks: int, branches: int) -> int:
    """Decode the BYTES of a code record to its INSTRUCTIONS and JUMPS, which are zeros and large enough.

    `constants` gets a word for each constant, `blocks` two int32 (start, end) for each block, `branches` an int32 for
    each JUMPI. COMMAND_A to COMMAND_D then hold the bytes of instructions, constants, and the numbers of blocks and
    branches.
    """
    d = begin_decoding(c, record, constants, blocks, branches)
    size = load_i64(record + code.DECODED_SIZE)
    pc = 0
    while pc <= size:
        pc = decode_at(c, d, pc)
    block_count = load_i64(d + decoding.BLOCK_COUNT)
    resolve_jumps(c, record, load_i64(d + decoding.WAITING_JUMP), block_count)
    store_i64(c + context.COMMAND_A, load_i64(d + decoding.TARGET) - load_i64(record + code.INSTRUCTIONS))
    store_i64(c + context.COMMAND_B, load_i64(d + decoding.CONSTANTS) - constants)
    store_i64(c + context.COMMAND_C, block_count)
    store_i64(c + context.COMMAND_D, load_i64(d + decoding.BRANCH_COUNT))
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
