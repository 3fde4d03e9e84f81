"""Words as the compiler knows them: a constant, or the name of a 256-bit value."""

from __future__ import annotations

from dataclasses import dataclass

WORD_MASK = (1 << 256) - 1
OFFSET_LIMIT = 1 << 32


@dataclass(frozen=True)
class Value:
    """`text` is what LLVM reads; `constant` the word itself, where it is known; `bit` the name of an i1 that is the
    same truth, for results of comparisons."""

    text: str
    constant: int | None = None
    bit: str | None = None


def constant(value: int) -> Value:
    """A known word, reduced modulo 2**256."""
    value &= WORD_MASK
    return Value(str(value), value)
