"""Mutants tried by several processes, their results kept as they come."""
