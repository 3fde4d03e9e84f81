"""DIV, MOD and their relatives: Knuth's algorithm while compiled, Python's integers otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.evm.kernel.mode import COMPILING, kernel
from simulator.evm.kernel.words import Word, is_zero, less_signed, word

if TYPE_CHECKING or not COMPILING:
    from simulator.evm.kernel.plain.division import add_modulo, divide, modulo, multiply_modulo, power
else:
    from simulator.evm.kernel.native.division import add_modulo, divide, modulo, multiply_modulo, power

__all__ = ["add_modulo", "divide", "divide_signed", "modulo", "modulo_signed", "multiply_modulo", "power"]


@kernel
def _magnitude(value: Word) -> Word:
    zero = word(0)
    return zero - value if less_signed(value, zero) else value


@kernel
def divide_signed(dividend: Word, divisor: Word) -> Word:
    """Two's complement division that rounds toward zero; x / 0 = 0, and -2**255 / -1 = -2**255."""
    zero = word(0)
    quotient = divide(_magnitude(dividend), _magnitude(divisor))
    negative = less_signed(dividend, zero) != less_signed(divisor, zero)
    return zero - quotient if negative else quotient


@kernel
def modulo_signed(dividend: Word, divisor: Word) -> Word:
    """The remainder with the sign of the dividend; x % 0 = 0."""
    zero = word(0)
    if is_zero(divisor):
        return zero
    remainder = modulo(_magnitude(dividend), _magnitude(divisor))
    return zero - remainder if less_signed(dividend, zero) else remainder
