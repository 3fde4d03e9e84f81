"""Solidity under analysis: syntax by its compiler, mistakes of fuzzing harnesses by its syntax tree."""
