"""Words for kernel sources: the compiled type while building, the plain twin otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.evm.kernel.mode import COMPILING
from simulator.evm.kernel.plain.words import OFFSET_LIMIT, Word

if TYPE_CHECKING or not COMPILING:
    from simulator.evm.kernel.plain.words import (
        bool_word,
        byte_of,
        complement,
        hash_word,
        is_zero,
        leading_zeros,
        less_signed,
        low,
        saturate,
        shift_left,
        shift_right,
        shift_right_arithmetic,
        sign_extend,
        word,
    )
else:
    from simulator.evm.kernel.compiler.words import (
        bool_word,
        byte_of,
        complement,
        hash_word,
        is_zero,
        leading_zeros,
        less_signed,
        low,
        saturate,
        shift_left,
        shift_right,
        shift_right_arithmetic,
        sign_extend,
        word,
    )

__all__ = [
    "OFFSET_LIMIT",
    "Word",
    "bool_word",
    "byte_of",
    "complement",
    "hash_word",
    "is_zero",
    "leading_zeros",
    "less_signed",
    "low",
    "saturate",
    "shift_left",
    "shift_right",
    "shift_right_arithmetic",
    "sign_extend",
    "word",
]
