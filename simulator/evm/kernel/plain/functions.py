"""Addresses of functions: the plain twin has none, so that nothing compiled ever runs inside of it."""

from __future__ import annotations

from typing import Any


def address_of(function: Any) -> int:
    """Address of a kernel function, which takes its arguments by numba's convention."""
    return 0


def call_compiled(function: int, c: int, block: int) -> int:
    """Call a contract's compiled function. Returns what it returns."""
    raise AssertionError("the plain kernel runs no compiled code")
