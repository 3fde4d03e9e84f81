"""Code to instructions: blocks with headers, constants in words, static jumps resolved.

A block begins at the start, at a JUMPDEST, and after an instruction that ends one; what stands behind a STOP-like
instruction up to the next JUMPDEST cannot run and is left out. Blocks and JUMPIs are counted in order of their program
counters, which is the order of their coverage cells.
"""

from __future__ import annotations

from simulator.evm.kernel.code.instruction_writing import (
    CELL_BYTES,
    FAR_TARGET,
    emit,
    link_jump,
    push_bytes,
    resolve_jumps,
    write_constant,
    write_header,
)
from simulator.evm.kernel.code.superinstructions import fuse_block
from simulator.evm.kernel.layout import decode_entry
from simulator.evm.kernel.layout.block_range import BlockRange
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.decode_entry import DecodeEntry
from simulator.evm.kernel.layout.decoding import Decoding
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.memory_access import load_u8
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Cell, Int32s, Records, pointer
from simulator.evm.kernel.words import saturate, word

SUB_OPCODE = 0x03
ISZERO_OPCODE = 0x15
XOR_OPCODE = 0x18
JUMPI_OPCODE = 0x57
STOP_OPCODE = 0x00


@kernel
def decode_argument(record: Code, entry: DecodeEntry, constants: int, pc: int, opcode: int) -> int:
    """The argument of an ordinary instruction; a constant is written to the pool at `constants`."""
    operand = entry.operand
    if operand == decode_entry.FIXED:
        return entry.value
    if operand == decode_entry.CONSTANT:
        write_constant(constants, record.bytes, pc, opcode)
    elif operand == decode_entry.PROGRAM_COUNTER:
        Cell(constants).word = word(pc)
    elif operand == decode_entry.CODE_SIZE:
        Cell(constants).word = word(record.bytes_size)
    else:
        return 0
    return constants


@kernel
def feeds_branch(code_bytes: int, size: int, pc: int) -> bool:
    """Return whether a result is only tested for zero: ISZERO follows, or a constant and JUMPI."""
    if pc >= size:
        return False
    opcode = load_u8(code_bytes + pc)
    behind = pc + 1 + push_bytes(opcode)
    return opcode == ISZERO_OPCODE or (
        behind > pc + 1 and behind < size and load_u8(code_bytes + behind) == JUMPI_OPCODE
    )


@kernel
def handler_of(entry: DecodeEntry, opcode: int, code_bytes: int, size: int, following: int) -> int:
    """The handler of an instruction that is no jump; comparisons in disguise have one that logs their operands."""
    if opcode in (SUB_OPCODE, XOR_OPCODE) and feeds_branch(code_bytes, size, following):
        return entry.static_handler
    return entry.handler


@kernel
def begin_decoding(
    machine: Context, record: Code, constants: int, blocks: Records[BlockRange], branches: Int32s
) -> Decoding:
    """Returns the address of the decoder's state, ready for the first byte of a code."""
    decoding = machine.decoding
    decoding.record = record
    decoding.target = record.instructions + Instruction.SIZE
    record.entry = decoding.target
    decoding.constants = constants
    decoding.blocks = blocks
    decoding.block_count = 0
    decoding.branches = branches
    decoding.branch_count = 0
    decoding.waiting_jump = 0
    decoding.reachable = True
    decoding.header = Instruction(0)
    return decoding


@kernel
def open_block(decoding: Decoding, pc: int, is_jump_target: bool) -> None:
    """A block begins at `pc`; room for its header is left before its first instruction."""
    record = decoding.record
    header = decoding.target
    number = decoding.block_count
    decoding.header = Instruction(header)
    decoding.target = header + Instruction.SIZE
    decoding.reachable = True
    decoding.block_gas = 0
    decoding.height = 0
    decoding.minimum = 0
    decoding.maximum = 0
    decoding.pushed = Instruction(0)
    decoding.blocks[number].start = pc
    decoding.block_count = number + 1
    if is_jump_target:
        record.jumps[pc] = header - record.instructions


@kernel
def close_block(machine: Context, decoding: Decoding, end: int) -> None:
    """The open block ends before the byte `end`: join its instructions and write its header."""
    header = decoding.header
    number = decoding.block_count - 1
    fuse_block(machine, pointer(header) + Instruction.SIZE, decoding.target)
    write_header(header, decoding.block_gas, decoding.minimum, decoding.maximum, CELL_BYTES * number)
    decoding.blocks[number].end = end
    decoding.header = Instruction(0)


@kernel
def fall_into(machine: Context, decoding: Decoding, pc: int) -> None:
    """The open block runs into the JUMPDEST at `pc`."""
    next_block = machine.decode_table[0].static_handler
    decoding.target = emit(Instruction(decoding.target), next_block, pc, 0)
    close_block(machine, decoding, pc)


@kernel
def count_effects(decoding: Decoding, entry: DecodeEntry) -> None:
    """Add an instruction's static gas and its effect on the stack to the open block."""
    pops = entry.pops
    height = decoding.height
    decoding.block_gas += entry.gas
    decoding.minimum = max(decoding.minimum, pops - height)
    height += entry.pushes - pops
    decoding.height = height
    decoding.maximum = max(decoding.maximum, height)


@kernel
def write_jump(decoding: Decoding, entry: DecodeEntry, pc: int) -> None:
    """A JUMP or JUMPI. With a constant pushed right before, it takes the place of that PUSH and waits for its block."""
    is_branch = entry.operand == decode_entry.BRANCH
    pushed = decoding.pushed
    target = decoding.target
    branch = decoding.branch_count
    handler = entry.handler
    destination = FAR_TARGET
    if pushed:
        target -= Instruction.SIZE
        handler = entry.static_handler
        destination = min(saturate(Cell(pushed.argument).word), FAR_TARGET)
    decoding.target = emit(Instruction(target), handler, 2 * CELL_BYTES * branch, 0)
    decoding.pushed = Instruction(0)
    if pushed or is_branch:
        base = decoding.record.instructions
        waiting = decoding.waiting_jump
        decoding.waiting_jump = link_jump(base, Instruction(target), waiting, destination)
    if is_branch:
        decoding.branches[branch] = pc
        decoding.branch_count = branch + 1


@kernel
def write_ordinary(decoding: Decoding, entry: DecodeEntry, opcode: int, pc: int, following: int) -> None:
    """An instruction that is no jump, and the constant that it pushes."""
    record = decoding.record
    constants = decoding.constants
    target = Instruction(decoding.target)
    argument = decode_argument(record, entry, constants, pc, opcode)
    handler = handler_of(entry, opcode, record.bytes, record.decoded_size, following)
    decoding.target = emit(target, handler, pc, argument)
    decoding.pushed = Instruction(0)
    if argument == constants:
        decoding.constants = constants + 32
        decoding.pushed = target


@kernel
def write_instruction(
    machine: Context, decoding: Decoding, entry: DecodeEntry, opcode: int, pc: int, following: int
) -> None:
    """The instruction at `pc`, in the open block, which it may end."""
    operand = entry.operand
    ending = entry.ending
    count_effects(decoding, entry)
    if operand == decode_entry.JUMP or operand == decode_entry.BRANCH:
        write_jump(decoding, entry, pc)
    elif operand != decode_entry.BLOCK_START:
        write_ordinary(decoding, entry, opcode, pc, following)
    if ending != decode_entry.CONTINUES:
        close_block(machine, decoding, min(following, decoding.record.decoded_size))
        decoding.reachable = ending == decode_entry.ENDS_BLOCK


@kernel
def decode_at(machine: Context, decoding: Decoding, pc: int) -> int:
    """Decode the opcode at `pc`, a STOP behind the last byte; returns where the next one stands."""
    record = decoding.record
    size = record.decoded_size
    opcode = load_u8(record.bytes + pc) if pc < size else STOP_OPCODE
    # The STOP behind the last byte is reached also when a PUSH lacks data.
    following = min(pc + 1 + push_bytes(opcode), size) if pc < size else size + 1
    entry = machine.decode_table[opcode]
    is_jump_target = entry.operand == decode_entry.BLOCK_START
    if is_jump_target and decoding.header:
        fall_into(machine, decoding, pc)
    if not decoding.header and (is_jump_target or decoding.reachable):
        open_block(decoding, pc, is_jump_target)
    if decoding.header:
        write_instruction(machine, decoding, entry, opcode, pc, following)
    return following


@kernel
def decode(machine: Context, record: Code, constants: int, blocks: Records[BlockRange], branches: Int32s) -> None:
    """Decode the bytes of a code record to its instructions and jumps, which are zeros and large enough.

    `constants` gets a word for each constant, `branches` the program counter of each JUMPI. `command_a` to `command_d`
    then hold the bytes of instructions, constants, and the numbers of blocks and branches.
    """
    decoding = begin_decoding(machine, record, constants, blocks, branches)
    size = record.decoded_size
    pc = 0
    while pc <= size:
        pc = decode_at(machine, decoding, pc)
    block_count = decoding.block_count
    resolve_jumps(machine, record, decoding.waiting_jump, block_count)
    machine.command_a = decoding.target - record.instructions
    machine.command_b = decoding.constants - constants
    machine.command_c = block_count
    machine.command_d = decoding.branch_count


@kernel
def decode_command(machine: Context) -> int:
    """Command: `decode` with its four arguments in `command_a` to `command_d`."""
    blocks = Records[BlockRange](machine.command_c)
    branches = Int32s(machine.command_d)
    decode(machine, Code(machine.command_a), machine.command_b, blocks, branches)
    return 0
