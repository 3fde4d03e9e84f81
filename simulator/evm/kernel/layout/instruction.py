"""A decoded instruction, and the header that stands before the first instruction of each block. Both are 16 bytes."""

from __future__ import annotations

HANDLER = 0  # int32: dense number of the handler in `run`
EXTRA = 4  # int32: program counter; for JUMPI, offset of its branch cells
ARGUMENT = 8  # int64: address of a constant, of a jump target, a distance, an offset: the handler knows
SIZE = 16

BLOCK_GAS = 0  # int32: static gas of all instructions of the block
BLOCK_MINIMUM = 4  # int32: bytes that must be on the stack
BLOCK_MAXIMUM = 8  # int32: bytes that may be on the stack
BLOCK_CELL = 12  # int32: offset of the block's coverage cell
