"""Operands of comparisons in words: what was seen of them, and what was not."""

from __future__ import annotations

from simulator.health.observations import ABOVE, BELOW, EQUAL, SeenOperands

LT, GT, SLT, SGT, EQ, SUB, XOR = 0x10, 0x11, 0x12, 0x13, 0x14, 0x03, 0x18
_SIGNED = frozenset((SLT, SGT))
_HOLDS = {LT: BELOW, GT: ABOVE, SLT: BELOW, SGT: ABOVE, EQ: EQUAL, SUB: EQUAL, XOR: EQUAL}
"""The relation of the operands that an instruction tells from all others. Compilers also test for equality by what a
difference leaves."""
_WORDS = {
    BELOW: "the first below the second",
    EQUAL: "both equal",
    ABOVE: "the first above the second",
    BELOW | EQUAL: "the first at most the second",
    EQUAL | ABOVE: "the first at least the second",
    BELOW | ABOVE: "the two different",
}
_LARGE = 10**15
_TOP = 1 << 255
_MODULUS = 1 << 256


def range_text(opcode: int, seen: SeenOperands) -> str:
    """`compared 0..57 with 100`."""
    signed = opcode in _SIGNED
    return f"compared {_range(seen.left, signed)} with {_range(seen.right, signed)}"


def needed(opcode: int, seen: SeenOperands) -> str:
    """`needs the first above the second`; empty where the comparison came out both ways, or it is not known."""
    holds = _HOLDS.get(opcode)
    if holds is None:
        return ""
    relations = seen.signed if opcode in _SIGNED else seen.relations
    everything = BELOW | EQUAL | ABOVE
    if relations & holds and relations & ~holds:
        return ""
    return f"needs {_WORDS[everything & ~holds if relations & holds else holds]}"


def distance(opcode: int, seen: SeenOperands) -> int | None:
    """Return the least distance of the operands from the outcome that never came: 0 where the ranges that were seen
    meet, None where the comparison came out both ways or is none of these."""
    if not needed(opcode, seen):
        return None
    (left_low, left_high), (right_low, right_high) = _bounds(seen.left, opcode), _bounds(seen.right, opcode)
    relations = seen.signed if opcode in _SIGNED else seen.relations
    if relations & EQUAL and relations & ~EQUAL == 0:
        return 1
    if not relations & BELOW:
        return max(0, left_low - right_high)
    if not relations & ABOVE:
        return max(0, right_low - left_high)
    return max(0, left_low - right_high, right_low - left_high)


def bounds_of(opcode: int, seen: SeenOperands) -> tuple[int, ...]:
    """The ends of both ranges, least and greatest of each operand."""
    return (*_bounds(seen.left, opcode), *_bounds(seen.right, opcode))


def _bounds(bounds: tuple[bytes, bytes], opcode: int) -> tuple[int, int]:
    low, high = (int.from_bytes(bound, "big") for bound in bounds)
    if opcode in _SIGNED and high >= _TOP:
        # Of values of both signs the range says nothing: least and greatest are those of unsigned numbers.
        return (low - _MODULUS, high - _MODULUS) if low >= _TOP else (high - _MODULUS, low)
    return low, high


def _range(bounds: tuple[bytes, bytes], signed: bool) -> str:
    low, high = (int.from_bytes(bound, "big") for bound in bounds)
    if signed and high >= _TOP:
        if low < _TOP:
            return "values of both signs"
        low, high = low - _MODULUS, high - _MODULUS
    return _number(low) if low == high else f"{_number(low)}..{_number(high)}"


def _number(value: int) -> str:
    if abs(value) < _LARGE:
        return f"{value:,}"
    exponent = value.bit_length()
    if value == (1 << exponent) - 1:
        return f"2^{exponent}-1"
    return f"{float(value):.3g}"
