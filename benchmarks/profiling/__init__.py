"""Profiling: sampling, clocks by concern, and costs of single instructions."""
