"""Range of a basic block in its code."""

from __future__ import annotations

from simulator.evm.kernel.records import Int32, Record


class BlockRange(Record, size=8):
    start = Int32()  # program counter of its first byte,
    end = Int32()  # and the one behind its last
