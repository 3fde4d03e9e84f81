"""Interface of a precompiled contract to the rest of this folder: a price and a function of bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


class PrecompileError(Exception):
    """The input is not one that the contract accepts. The call fails and all the gas given to it is consumed."""


@dataclass(frozen=True)
class Precompile:
    """`since` is the first fork with this behaviour. `gas` prices an input without computing the answer. `run` returns
    the output and is only called when the gas suffices. Both raise `PrecompileError` for input that fails the call."""

    number: int
    name: str
    since: str
    gas: Callable[[bytes], int]
    run: Callable[[bytes], bytes]


def read_padded(data: bytes, start: int, size: int) -> bytes:
    """`size` bytes from `start`; what lies behind the end of `data` reads as zero, as calldata does."""
    return data[start : start + size].ljust(size, b"\0")


def read_number(data: bytes, start: int, size: int = 32) -> int:
    """The big-endian number in `read_padded(data, start, size)`."""
    present = data[start : start + size]
    return int.from_bytes(present, "big") << 8 * (size - len(present))


def fixed_price(gas: int) -> Callable[[bytes], int]:
    """A price that does not depend on the input."""
    return lambda data: gas


def price_per_word(base: int, word: int) -> Callable[[bytes], int]:
    """A base price and one for each 32-byte word begun."""
    return lambda data: base + word * ((len(data) + 31) // 32)
