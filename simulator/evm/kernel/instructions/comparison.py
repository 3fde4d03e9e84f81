"""0x10 to 0x15: comparisons."""

from __future__ import annotations

from simulator.evm.kernel.instructions.macros import instruction, log_comparison
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.words import Word, bool_word, is_zero, less_signed


@instruction("LT")
def lt(machine: Context, extra: int, left: Word, right: Word) -> Word:
    log_comparison(machine, left, right, extra)
    return bool_word(left < right)


@instruction("GT")
def gt(machine: Context, extra: int, left: Word, right: Word) -> Word:
    log_comparison(machine, left, right, extra)
    return bool_word(left > right)


@instruction("SLT")
def slt(machine: Context, extra: int, left: Word, right: Word) -> Word:
    log_comparison(machine, left, right, extra)
    return bool_word(less_signed(left, right))


@instruction("SGT")
def sgt(machine: Context, extra: int, left: Word, right: Word) -> Word:
    log_comparison(machine, left, right, extra)
    return bool_word(less_signed(right, left))


@instruction("EQ")
def eq(machine: Context, extra: int, left: Word, right: Word) -> Word:
    log_comparison(machine, left, right, extra)
    return bool_word(left == right)


@instruction("ISZERO")
def iszero(value: Word) -> Word:
    return bool_word(is_zero(value))
