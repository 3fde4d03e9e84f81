"""Findings as Foundry tests: written, run by forge or by our own EVM, and marked with what came of it."""
