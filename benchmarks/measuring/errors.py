"""Errors that end a benchmark."""

from __future__ import annotations


class BenchmarkError(Exception):
    """A measurement is not possible or would not be honest. The message is made for people."""
