"""What a precompile gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class PrecompileResult:
    """`ok` false means that the call fails and all its gas is gone."""

    ok: bool
    output: bytes
    gas_left: int


class InvalidInputError(Exception):
    """The input is not what the precompile takes; the call fails."""


FAILED = PrecompileResult(ok=False, output=b"", gas_left=0)
Precompile = Callable[[bytes, int], PrecompileResult]


def words(data: bytes) -> int:
    """32-byte words that hold the data."""
    return (len(data) + 31) // 32


def paid(gas: int, cost: int, compute: Callable[[], bytes]) -> PrecompileResult:
    """The result of `compute` when the gas suffices and the input is valid."""
    if gas < cost:
        return FAILED
    try:
        return PrecompileResult(True, compute(), gas - cost)
    except InvalidInputError:
        return FAILED
