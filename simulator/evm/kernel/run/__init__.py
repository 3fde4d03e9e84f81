"""The interpreter, and transactions that run in it."""
