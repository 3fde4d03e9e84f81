"""What the decoder keeps while it walks through one code. All fields are int64."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64

RECORD = _int64()  # the code record
TARGET = _int64()  # where the next instruction is written
CONSTANTS = _int64()  # where the next constant is written
BLOCKS = _int64()  # (start, end) of the blocks, two int32 each
BLOCK_COUNT = _int64()
BRANCHES = _int64()  # program counters of the JUMPIs, int32
BRANCH_COUNT = _int64()
WAITING_JUMP = _int64()  # offset of the last jump whose target is not resolved, 0 for none
REACHABLE = _int64()  # 1 when what comes next can be run into
HEADER = _int64()  # header of the open block, 0 between blocks
BLOCK_GAS = _int64()
HEIGHT = _int64()  # words on the stack above the block's start
MINIMUM = _int64()
MAXIMUM = _int64()
PUSHED = _int64()  # the instruction before, when it pushes a constant, else 0
SIZE = _fields.size()
