"""Records of the decoder while it walks through one code."""

from __future__ import annotations

from simulator.evm.kernel.layout.block_range import BlockRange
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.records import Flag, Int32s, Int64, Record, Records, To


class Decoding(Record):
    record = To(Code)
    target = Int64()  # where the next instruction is written
    constants = Int64()  # where the next constant is written
    blocks = To(Records[BlockRange])
    block_count = Int64()
    branches = To(Int32s)  # program counters of the JUMPIs
    branch_count = Int64()
    waiting_jump = Int64()  # offset of the last jump whose target is not resolved, 0 for none
    reachable = Flag()  # what comes next can be run into
    header = To(Instruction)  # of the open block; none between blocks
    block_gas = Int64()
    height = Int64()  # words on the stack above the block's start
    minimum = Int64()
    maximum = Int64()
    pushed = To(Instruction)  # the instruction before, when it pushes a constant
