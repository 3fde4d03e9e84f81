"""The fuzzer of one worker: target set-up, generation and mutation, oracles, feedback, shrinking."""
