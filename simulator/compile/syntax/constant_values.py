"""Values of constants: numbers, addresses and bytes, with Solidity's arithmetic and conversions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_BITS = 4096
"""Numbers beyond this are no constants of any contract, and would only cost time."""

WORD_BITS = 256
INTEGER_TYPE = re.compile(r"(u?)int(\d*)")
_BYTES_TYPE = re.compile(r"bytes(\d+)")
_UNITS = {
    "wei": Fraction(1),
    "gwei": Fraction(10**9),
    "szabo": Fraction(10**12),
    "finney": Fraction(10**15),
    "ether": Fraction(10**18),
    "seconds": Fraction(1),
    "minutes": Fraction(60),
    "hours": Fraction(3600),
    "days": Fraction(86400),
    "weeks": Fraction(604800),
    "years": Fraction(31536000),
}


@dataclass(frozen=True, slots=True)
class Number:
    """An integer or, inside of an expression, a rational number."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Address:
    """An address as a number of 160 bits."""

    value: int


@dataclass(frozen=True, slots=True)
class Text:
    """Bytes of fixed or dynamic length; `is_string` when the source has them as a string literal."""

    data: bytes
    is_string: bool = False


Folded = Number | Address | Text


def number_from_text(text: str, unit: str | None) -> Number | None:
    """A number as the source writes it, with its unit. Raises `ValueError` for what is no number; None when it is too
    large to be worked out."""
    plain = text.replace("_", "")
    if plain[:2].lower() == "0x":
        value = Fraction(int(plain, 16))
    else:
        mantissa, _, exponent = plain.lower().partition("e")
        if abs(int(exponent or 0)) > MAX_BITS:
            return None
        value = Fraction(mantissa if mantissa[-1:] != "." else mantissa + "0") * Fraction(10) ** int(exponent or 0)
    return Number(value * _UNITS.get(unit or "wei", Fraction(1)))


def arithmetic(operator: str, left: Fraction, right: Fraction, *, typed: bool) -> Fraction | None:
    """The result of a binary operator, None when it has none (division by zero, comparison) or is too large. `typed`
    operands divide like integers, literals like rational numbers."""
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" if right:
            quotient = left / right
            return Fraction(int(quotient)) if typed else quotient
        case "**" if right.denominator == 1 and right >= 0 and _bits(left) * max(1, int(right)) <= MAX_BITS:
            return Fraction(left ** int(right))
        case _:
            return _integer_arithmetic(operator, left, right)


def _integer_arithmetic(operator: str, left: Fraction, right: Fraction) -> Fraction | None:
    if left.denominator != 1 or right.denominator != 1:
        return None
    a, b = int(left), int(right)
    match operator:
        case "%" if b:
            return Fraction(abs(a) % abs(b) * (-1 if a < 0 else 1))
        case "&":
            return Fraction(a & b)
        case "|":
            return Fraction(a | b)
        case "^":
            return Fraction(a ^ b)
        case "<<" if 0 <= b <= MAX_BITS:
            return Fraction(a << b)
        case ">>" if b >= 0:
            return Fraction(a >> min(b, MAX_BITS))
        case _:
            return None


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def wrapped(number: Number, type_string: str) -> Number | None:
    """A number as a variable of an integer type holds it, wrapped around; unchanged for other types."""
    if not (match := INTEGER_TYPE.fullmatch(type_string)):
        return number
    bits = int(match[2] or WORD_BITS)
    value = int(number.value) & ((1 << bits) - 1)
    if not match[1] and value >> (bits - 1):
        value -= 1 << bits
    return Number(Fraction(value))


def converted(value: Folded, target: str) -> Folded | None:
    """A value converted to the type that `target` names, as Solidity's explicit conversions do; None for others."""
    if target.startswith(("address", "contract ")):
        return _to_address(value)
    if INTEGER_TYPE.fullmatch(target):
        return _to_number(value, target)
    if match := _BYTES_TYPE.fullmatch(target):
        return _to_fixed_bytes(value, int(match[1]))
    return value if isinstance(value, Text) and target.startswith(("bytes", "string")) else None


def _to_address(value: Folded) -> Address | None:
    match value:
        case Address():
            return value
        case Number(number) if number.denominator == 1:
            return Address(int(number) & ((1 << 160) - 1))
        case Text(data) if len(data) == 20:
            return Address(int.from_bytes(data, "big"))
        case _:
            return None


def _to_number(value: Folded, target: str) -> Number | None:
    match value:
        case Number():
            return wrapped(value, target)
        case Address(address):
            return wrapped(Number(Fraction(address)), target)
        case Text(data) if len(data) <= 32:
            return wrapped(Number(Fraction(int.from_bytes(data, "big"))), target)
        case _:
            return None


def _to_fixed_bytes(value: Folded, size: int) -> Text | None:
    match value:
        case Text(data):
            return Text(data[:size].ljust(size, b"\0"))
        case Address(address):
            return Text(address.to_bytes(20, "big")[-size:])
        case Number(number) if number.denominator == 1:
            # A number converts by its low bytes; only literals and types of the same size are accepted by solc.
            return Text((int(number) % (1 << (8 * size))).to_bytes(size, "big"))
        case _:
            return None
