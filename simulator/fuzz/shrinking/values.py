"""Adaptive minimisation of one ABI value: the smallest value of its type that still makes a predicate true.

Simplest means: integers toward 0 (positive before negative), false, the zero address, zero bytes, short arrays and
strings. Each function returns a value for which `fails` is true, given one for which it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from simulator.abi.types import AbiType, Address, Array, Bool, Bytes, FixedBytes, Function, Int, String, Tuple, UInt

Value = TypeVar("Value")
Fails = Callable[[Any], bool]
GALLOP = (192, 128, 64, 32, 16, 8, 4, 1)
SMALL = range(1, 9)
"""Tried one by one, because harnesses reduce arguments modulo few actors or choices: no bisection finds these."""


def minimize_value(abi_type: AbiType, value: Any, fails: Fails) -> Any:
    """Minimise a decoded ABI value; `fails` receives whole candidate values of the same type."""
    match abi_type:
        case UInt():
            return minimize_integer(value, fails)
        case Int():
            return minimize_signed(value, fails)
        case Bool():
            return False if value and fails(False) else value
        case Address():
            return 0 if value and fails(0) else value
        case FixedBytes(size=size):
            return _minimize_fixed_bytes(value, size, fails)
        case Function():
            return _minimize_fixed_bytes(value, 24, fails)
        case Bytes():
            return minimize_bytes(value, fails)
        case String():
            return _minimize_text(value, fails)
        case Array(element=element, length=length):
            return _minimize_array(element, length, list(value), fails)
        case Tuple(members=members):
            return _minimize_members(members, list(value), fails)
    raise TypeError(f"not an ABI type: {abi_type!r}")


def minimize_integer(value: int, fails: Fails) -> int:
    """The smallest natural number up to `value` that a bisection finds; its predecessor is known not to fail.

    Where the predecessor of `value` does not fail, only a few much smaller numbers are tried, so that asking again
    about a number that is as small as it gets is cheap.
    """
    if value == 0 or fails(0):
        return 0
    if value > 1 and not fails(value - 1):
        return _gallop(value, fails)
    passing, failing = 0, max(value - 1, 1)
    while failing - passing > 1:
        middle = (passing + failing) // 2
        if fails(middle):
            failing = middle
        else:
            passing = middle
    return failing


def _gallop(value: int, fails: Fails) -> int:
    for shift in GALLOP:
        if value >> shift and fails(value >> shift):
            return minimize_integer(value >> shift, fails)
    return next((small for small in SMALL if small < value and fails(small)), value)


def minimize_signed(value: int, fails: Fails) -> int:
    if value >= 0:
        return minimize_integer(value, fails)
    if fails(-value - 1):
        return minimize_integer(-value - 1, fails)
    return -minimize_integer(-value, lambda magnitude: fails(-magnitude))


def minimize_list(items: list[Value], fails: Callable[[list[Value]], bool]) -> list[Value]:
    """Delta debugging: drop chunks of halving size, from the end, until no single item can be dropped."""
    chunk = len(items)
    while chunk >= 1:
        start = len(items)
        while start > 0:
            start = max(0, start - chunk)
            shorter = items[:start] + items[start + chunk :]
            if len(shorter) < len(items) and fails(shorter):
                items = shorter
        chunk = min(chunk // 2, len(items)) if chunk > 1 else 0
    return items


def minimize_bytes(value: bytes, fails: Fails) -> bytes:
    shorter = bytes(minimize_list(list(value), lambda items: fails(bytes(items))))
    return _zero_bytes(shorter, fails, 0)


def _minimize_fixed_bytes(value: bytes, size: int, fails: Fails) -> bytes:
    if any(value) and fails(bytes(size)):
        return bytes(size)
    return _zero_bytes(value, fails, 0)


def _minimize_text(value: str, fails: Fails) -> str:
    shorter = "".join(minimize_list(list(value), lambda items: fails("".join(items))))
    for index, character in enumerate(shorter):
        candidate = shorter[:index] + "a" + shorter[index + 1 :]
        if character != "a" and fails(candidate):
            shorter = candidate
    return shorter


def _zero_bytes(value: bytes, fails: Fails, filler: int) -> bytes:
    for index, byte in enumerate(value):
        candidate = value[:index] + bytes([filler]) + value[index + 1 :]
        if byte != filler and fails(candidate):
            value = candidate
    return value


def _minimize_array(element: AbiType, length: int | None, items: list[Any], fails: Fails) -> list[Any]:
    if length is None:
        items = minimize_list(items, fails)
    return _minimize_members([element] * len(items), items, fails)


def _minimize_members(types: Any, items: list[Any], fails: Fails) -> list[Any]:
    for index, member in enumerate(types):
        items[index] = minimize_value(member, items[index], _replacing(items, index, fails))
    return items


def _replacing(items: list[Any], index: int, fails: Fails) -> Fails:
    return lambda candidate: fails([*items[:index], candidate, *items[index + 1 :]])
