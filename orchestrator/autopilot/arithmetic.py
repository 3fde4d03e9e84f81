"""Operators on values, with the checks that Solidity makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrator.autopilot.values import (
    UNKNOWN,
    WORD,
    Operation,
    Value,
    bits_of,
    is_fixed_bytes,
    is_integer,
    range_of,
)

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b if b < 512 else 0,
    ">>": lambda a, b: a >> min(b, 512),
}
MAX_EXPONENT = 4_096
MAX_BITS = 4_096
"""Of numbers of no type, as compilers bound their constants. Larger ones would take all memory and time."""


class Reverted(Exception):  # noqa: N818  # what contracts do
    """The call fails here. `condition` should have been `wanted`, None where nothing is known to help."""

    def __init__(self, condition: Value | None = None, *, wanted: bool = True, is_assert: bool = False) -> None:
        super().__init__("reverted")
        self.condition = condition
        self.wanted = wanted
        self.is_assert = is_assert


def truth(value: Value) -> bool | None:
    """None where it is not known."""
    return bool(value.data) if value.is_known else None


def compute(operator: str, left: Value, right: Value, *, is_checked: bool = True) -> Value:
    """Raises `Reverted` for overflows and divisions by zero, with the condition that would avoid it."""
    term = Operation(operator, (left, right)) if left.term is not None or right.term is not None else None
    if operator in _COMPARISONS:
        if not (left.is_known and right.is_known):
            return Value(UNKNOWN, "bool", term)
        return Value(_COMPARISONS[operator](*_alike(left, right)), "bool", term)
    kind = right.type if left.type == "number" and operator not in ("<<", ">>", "**") else left.type
    if not (left.is_known and right.is_known):
        return Value(UNKNOWN, kind, term)
    return Value(_checked(operator, left, right, kind, is_checked=is_checked), kind, term)


def _alike(left: Value, right: Value) -> tuple[Any, Any]:
    """Data that can be compared: texts and words become one of the two."""
    a, b = left.data, right.data
    if isinstance(a, bytes) and isinstance(b, int) and is_fixed_bytes(right.type):
        a = int.from_bytes(a.ljust(int(right.type[5:]), b"\0"), "big")
    elif isinstance(b, bytes) and isinstance(a, int) and is_fixed_bytes(left.type):
        b = int.from_bytes(b.ljust(int(left.type[5:]), b"\0"), "big")
    return a, b


def _checked(operator: str, left: Value, right: Value, kind: str, *, is_checked: bool) -> int:
    a, b = left.data, right.data
    zero = Value(0, kind)
    if operator in ("/", "%"):
        if b == 0:
            raise Reverted(compute("!=", right, zero))
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return int(quotient if operator == "/" else a - b * quotient)
    if operator == "**":
        if not 0 <= b <= MAX_EXPONENT:
            raise Reverted(compute("<", right, Value(78, "number")))
        if abs(a).bit_length() * b > MAX_BITS:
            if is_checked or kind == "number":
                raise Reverted(_remedy(operator, left, right, *range_of(kind)))
            return wrapped(pow(a, b, WORD), kind)
        found = a**b
    else:
        found = _ARITHMETIC[operator](a, b)
    low, high = range_of(kind)
    if low <= found <= high or (kind == "number" and abs(found) < 1 << MAX_BITS):
        return int(found)
    if kind == "number":
        raise Reverted
    if is_checked and operator in ("+", "-", "*", "**"):
        raise Reverted(_remedy(operator, left, right, low, high))
    return wrapped(found, kind)


def _remedy(operator: str, left: Value, right: Value, low: int, high: int) -> Value | None:
    """A condition that holds where the operation does not overflow."""
    if operator == "-" and low == 0:
        return compute(">=", left, right)
    if operator == "+":
        return compute("<=", left, Value(max(high - right.data, 0), left.type))
    if operator == "*" and right.data:
        return compute("<=", left, Value(high // abs(right.data), left.type))
    return None


def wrapped(data: int, kind: str) -> int:
    """An integer within a type, as a conversion leaves it."""
    if is_integer(kind):
        bits = bits_of(kind)
        data &= (1 << bits) - 1
        return data - (1 << bits) if not kind.startswith("u") and data >> (bits - 1) else data
    return data & range_of(kind)[1]


def negate(operator: str, value: Value) -> Value:
    """`!`, `-` or `~` of a value."""
    term = Operation(operator, (value,)) if value.term is not None else None
    if not value.is_known:
        return Value(UNKNOWN, "bool" if operator == "!" else value.type, term)
    if operator == "!":
        return Value(not value.data, "bool", term)
    data = -value.data if operator == "-" else ~value.data
    return Value(data if value.type == "number" else wrapped(data % WORD, value.type), value.type, term)


def converted(value: Value, kind: str) -> Value:
    """`kind(value)` for types of words."""
    if not value.is_known:
        return Value(UNKNOWN, kind, value.term)
    data = value.data
    if isinstance(data, bytes):
        if not is_fixed_bytes(kind):
            return Value(data, kind, value.term)
        size = int(kind[5:])
        data = int.from_bytes(data[:size].ljust(size, b"\0"), "big")
    elif is_fixed_bytes(kind) and is_fixed_bytes(value.type):
        shift = 8 * (int(kind[5:]) - int(value.type[5:]))
        data = data << shift if shift >= 0 else data >> -shift
    elif isinstance(data, int):
        data = wrapped(data, kind)
    term = Operation(f"as {kind}", (value,)) if value.term is not None else None
    return Value(data, kind, term)
