"""A coverage cell: of a block, or of one side of a JUMPI. `coverage.py` says what its bits mean."""

from __future__ import annotations

from simulator.evm.kernel.records import Int64, Record


class CoverageCell(Record, size=8):
    bits = Int64()
