"""Division on Python's integers."""

from __future__ import annotations

from simulator.evm.kernel.plain.words import MODULUS, Word


def divide(dividend: Word, divisor: Word) -> Word:
    """Unsigned quotient; x / 0 = 0."""
    return Word(int(dividend) // int(divisor)) if divisor else Word(0)


def modulo(dividend: Word, divisor: Word) -> Word:
    """Unsigned remainder; x % 0 = 0."""
    return Word(int(dividend) % int(divisor)) if divisor else Word(0)


def add_modulo(left: Word, right: Word, modulus: Word) -> Word:
    """(left + right) % modulus without wrapping; 0 for modulus 0."""
    return Word((int(left) + int(right)) % int(modulus)) if modulus else Word(0)


def multiply_modulo(left: Word, right: Word, modulus: Word) -> Word:
    """(left * right) % modulus without wrapping; 0 for modulus 0."""
    return Word(int(left) * int(right) % int(modulus)) if modulus else Word(0)


def power(base: Word, exponent: Word) -> Word:
    """base ** exponent modulo 2**256."""
    return Word(pow(int(base), int(exponent), MODULUS))
