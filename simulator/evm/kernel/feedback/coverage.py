"""Coverage cells: bits 0..47 count hits, 48..55 are a mask of call depths, 56..63 a mask of outcomes of frames.

Cells of JUMPI sides hold a count only. `machine.new_coverage` grows with each depth, outcome or first hit of a side.
"""

from __future__ import annotations

from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import INVALID_OPCODE, OUT_OF_GAS, RETURN, REVERT

OUTCOME_SHIFT = 56
OUTCOME_SUCCESS = 0
OUTCOME_REVERT = 1
OUTCOME_OUT_OF_GAS = 2
OUTCOME_INVALID = 3
OUTCOME_OTHER = 4


@kernel
def count_new(machine: Context) -> int:
    machine.new_coverage += 1
    return 0


@kernel
def note_depth(machine: Context, cell: CoverageCell, depth_bit: int) -> int:
    """A block runs at a depth where it has not run before."""
    cell.bits |= depth_bit
    return count_new(machine)


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
def note_outcome(machine: Context, cell: CoverageCell, status: int) -> None:
    """A frame ended in the block of this cell."""
    bit = 1 << (OUTCOME_SHIFT + outcome_of(status))
    if cell.bits & bit == 0:
        cell.bits |= bit
        count_new(machine)
