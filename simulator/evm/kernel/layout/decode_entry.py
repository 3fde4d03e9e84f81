"""An entry of the decode table: what the decoder must know of one opcode in one fork."""

from __future__ import annotations

from simulator.evm.kernel.records import Int32, Record


class DecodeEntry(Record, size=32):
    handler = Int32()
    gas = Int32()
    pops = Int32()
    pushes = Int32()
    ending = Int32()  # CONTINUES, ENDS_BLOCK, STOPS
    operand = Int32()  # NO_OPERAND ... FIXED
    value = Int32()  # argument of the instruction when the operand is FIXED
    static_handler = Int32()  # handler of a jump whose target is a constant; of SUB and XOR before a branch


CONTINUES = 0
ENDS_BLOCK = 1  # the next instruction begins a block
STOPS = 2  # what follows is reached only by a jump
NO_OPERAND = 0
CONSTANT = 1
PROGRAM_COUNTER = 2
CODE_SIZE = 3
JUMP = 4
BRANCH = 5  # JUMPI
BLOCK_START = 6  # JUMPDEST
FIXED = 7
