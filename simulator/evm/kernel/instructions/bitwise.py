"""0x16 to 0x1e: bits."""

from __future__ import annotations

from simulator.evm.kernel.instructions.macros import instruction, log_comparison
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.words import (
    Word,
    byte_of,
    complement,
    leading_zeros,
    shift_left,
    shift_right,
    shift_right_arithmetic,
    word,
)


@instruction("AND")
def and_(left: Word, right: Word) -> Word:
    return left & right


@instruction("OR")
def or_(left: Word, right: Word) -> Word:
    return left | right


@instruction("XOR")
def xor(left: Word, right: Word) -> Word:
    return left ^ right


@instruction("XOR_TESTED")
def xor_tested(machine: Context, extra: int, left: Word, right: Word) -> Word:
    """XOR whose result is only asked whether it is zero."""
    log_comparison(machine, left, right, extra)
    return left ^ right


@instruction("NOT")
def not_(value: Word) -> Word:
    return complement(value)


@instruction("BYTE")
def byte(index: Word, value: Word) -> Word:
    return byte_of(index, value)


@instruction("SHL")
def shl(amount: Word, value: Word) -> Word:
    return shift_left(value, amount)


@instruction("SHR")
def shr(amount: Word, value: Word) -> Word:
    return shift_right(value, amount)


@instruction("SAR")
def sar(amount: Word, value: Word) -> Word:
    return shift_right_arithmetic(value, amount)


@instruction("CLZ")
def clz(value: Word) -> Word:
    return word(leading_zeros(value))
