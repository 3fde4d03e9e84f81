"""Family `coverage`: percentages of any tool's LCOV file, and snapshots to compare it with."""
