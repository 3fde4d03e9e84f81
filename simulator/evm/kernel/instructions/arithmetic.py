"""0x01 to 0x0b: arithmetic."""

from __future__ import annotations

from simulator.evm.kernel.division import (
    add_modulo,
    divide,
    divide_signed,
    modulo,
    modulo_signed,
    multiply_modulo,
    power,
)
from simulator.evm.kernel.instructions.macros import charge, instruction, log_comparison
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.words import Word, leading_zeros, sign_extend


@instruction("ADD")
def add(left: Word, right: Word) -> Word:
    return left + right


@instruction("MUL")
def mul(left: Word, right: Word) -> Word:
    return left * right


@instruction("SUB")
def sub(left: Word, right: Word) -> Word:
    return left - right


@instruction("SUB_TESTED")
def sub_tested(machine: Context, extra: int, left: Word, right: Word) -> Word:
    """SUB whose result is only asked whether it is zero: the compiler's way to say "not equal"."""
    log_comparison(machine, left, right, extra)
    return left - right


@instruction("DIV")
def div(dividend: Word, divisor: Word) -> Word:
    return divide(dividend, divisor)


@instruction("SDIV")
def sdiv(dividend: Word, divisor: Word) -> Word:
    return divide_signed(dividend, divisor)


@instruction("MOD")
def mod(dividend: Word, divisor: Word) -> Word:
    return modulo(dividend, divisor)


@instruction("SMOD")
def smod(dividend: Word, divisor: Word) -> Word:
    return modulo_signed(dividend, divisor)


@instruction("ADDMOD")
def addmod(left: Word, right: Word, modulus: Word) -> Word:
    return add_modulo(left, right, modulus)


@instruction("MULMOD")
def mulmod(left: Word, right: Word, modulus: Word) -> Word:
    return multiply_modulo(left, right, modulus)


@instruction("EXP")
def exp(machine: Context, gas: int, base: Word, exponent: Word) -> Word:
    exponent_bytes = (263 - leading_zeros(exponent)) >> 3
    charge(gas, machine.gas_exponent_byte * exponent_bytes)
    return power(base, exponent)


@instruction("SIGNEXTEND")
def signextend(index: Word, value: Word) -> Word:
    return sign_extend(index, value)
