"""What a run tells the fuzzer: coverage, comparisons, reads of state."""
