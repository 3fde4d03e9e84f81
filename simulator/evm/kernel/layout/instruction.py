"""A decoded instruction, and the header that stands before the first instruction of each block. Both are 16 bytes."""

from __future__ import annotations

from simulator.evm.kernel.records import Int32, Int64, Record


class Instruction(Record, size=16):
    handler = Int32()  # dense number of the handler in `run`
    extra = Int32()  # program counter; for JUMPI, offset of its branch cells
    argument = Int64()  # address of a constant, of a jump target, a distance, an offset: the handler knows
    block_gas = Int32(at=handler)  # static gas of all instructions of the block
    block_minimum = Int32(at=extra)  # bytes that must be on the stack
    block_maximum = Int32(at=argument)  # bytes that may be on the stack
    block_cell = Int32(at=argument, step=4)  # offset of the block's coverage cell
