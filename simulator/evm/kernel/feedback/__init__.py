"""Notes of a run for the fuzzer: coverage, comparisons, reads of state."""
