"""Measurements of Monotreme: `python -m benchmarks.throughput`, `python -m benchmarks.profile`."""
