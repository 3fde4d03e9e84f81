"""Shared parts of every benchmark: rounds, the machine it ran on, Markdown tables, errors."""
