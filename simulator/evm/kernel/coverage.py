"""Coverage cells: bits 0..47 count hits, 48..55 are a mask of call depths, 56..63 a mask of outcomes of frames.

Cells of JUMPI sides hold a count only. NEW_COVERAGE grows with each depth, outcome or first hit of a side.
"""

from __future__ import annotations

from simulator.evm.kernel.layout import context
from simulator.evm.kernel.memory_access import load_i64, store_i64
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import INVALID_OPCODE, OUT_OF_GAS, RETURN, REVERT

OUTCOME_SHIFT = 56
OUTCOME_SUCCESS = 0
OUTCOME_REVERT = 1
OUTCOME_OUT_OF_GAS = 2
OUTCOME_INVALID = 3
OUTCOME_OTHER = 4


@kernel
def count_new(c: int) -> int:
    store_i64(c + context.NEW_COVERAGE, load_i64(c + context.NEW_COVERAGE) + 1)
    return 0


@kernel
def note_depth(c: int, cell: int, depth_bit: int) -> int:
    """A block runs at a depth where it has not run before."""
    store_i64(cell, load_i64(cell) | depth_bit)
    return count_new(c)


@kernel
def outcome_of(status: int) -> int:
    if status <= RETURN:
        return OUTCOME_SUCCESS
    if status == REVERT:
        return OUTCOME_REVERT
    if status == OUT_OF_GAS:
        return OUTCOME_OUT_OF_GAS
    if status == INVALID_OPCODE:
        return OUTCOME_INVALID
    return OUTCOME_OTHER


@kernel
def note_outcome(c: int, cell: int, status: int) -> int:
    """A frame ended in the block of this cell."""
    bit = 1 << (OUTCOME_SHIFT + outcome_of(status))
    value = load_i64(cell)
    if value & bit == 0:
        store_i64(cell, value | bit)
        count_new(c)
    return 0
