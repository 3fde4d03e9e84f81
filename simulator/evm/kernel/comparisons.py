"""The comparison log: operands of comparisons, for a fuzzer that wants to know what a branch waits for."""

from __future__ import annotations

from simulator.evm.kernel.layout import code, comparison, context
from simulator.evm.kernel.memory_access import load_i64, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import Word


@kernel
def append_comparison(c: int, left: Word, right: Word, pc: int) -> int:
    """Write the next record of the ring; the oldest one goes."""
    count = load_i64(c + context.COMPARISONS_COUNT)
    index = count & load_i64(c + context.COMPARISONS_MASK)
    record = load_i64(c + context.COMPARISONS) + index * comparison.SIZE
    store_word(record + comparison.LEFT, left)
    store_word(record + comparison.RIGHT, right)
    store_i64(record + comparison.CODE_ID, load_i64(load_i64(c + context.CODE) + code.ID))
    store_i64(record + comparison.PC, pc)
    store_i64(c + context.COMPARISONS_COUNT, count + 1)
    return 0
