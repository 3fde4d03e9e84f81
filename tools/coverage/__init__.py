"""Family `coverage` (seed 000): percentages of any tool's LCOV file, and snapshots to compare it with."""
