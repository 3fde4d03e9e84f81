"""An entry of the decode table: what the decoder must know of one opcode in one fork. All fields are int32."""

from __future__ import annotations

HANDLER = 0
GAS = 4
POPS = 8
PUSHES = 12
ENDING = 16  # CONTINUES, ENDS_BLOCK, STOPS
OPERAND = 20  # NONE, CONSTANT, PROGRAM_COUNTER, CODE_SIZE, STATIC_JUMP, VALUE
VALUE = 24  # argument of the instruction when OPERAND is VALUE
STATIC_HANDLER = 28  # handler of a jump whose target is a constant; of SUB and XOR before a branch
SIZE = 32

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
