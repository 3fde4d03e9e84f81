"""A frame's memory: growth with its price, and copies that pad with zeros."""

from __future__ import annotations

from simulator.evm.kernel.exits import arena_full
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory_access import copy_memory, zero_memory
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import ARENA_MEMORY, EXIT, OUT_OF_GAS
from simulator.evm.kernel.words import OFFSET_LIMIT

GAS_MEMORY_WORD = 3
GAS_COPY_WORD = 3


@kernel
def memory_cost(words: int) -> int:
    """Price of a memory of so many words (yellow paper, equation 328)."""
    return GAS_MEMORY_WORD * words + ((words * words) >> 9)


@kernel
def grow(machine: Context, end: int, size: int, gas: int) -> int:
    """Grow the running frame's memory from `size` bytes to hold `end`; returns the gas left, or -status.

    The caller rounds its memory size up to words. After -EXIT nothing has changed.
    """
    if end >= OFFSET_LIMIT:
        return -OUT_OF_GAS
    old_words = size >> 5
    new_words = (end + 31) >> 5
    gas -= memory_cost(new_words) - memory_cost(old_words)
    if gas < 0:
        return -OUT_OF_GAS
    memory = machine.memory
    if memory + new_words * 32 > machine.memory_end:
        arena_full(machine, ARENA_MEMORY)
        return -EXIT
    zero_memory(memory + size, (new_words - old_words) * 32)
    return gas


@kernel
def expand(machine: Context, offset: int, length: int, gas: int) -> int:
    """As `grow`, for a range of memory, with the size kept in the context; an empty range costs nothing."""
    if gas < 0:
        return -OUT_OF_GAS
    size = machine.memory_size
    if length == 0 or offset + length <= size:
        return gas
    gas = grow(machine, offset + length, size, gas)
    if gas >= 0:
        machine.memory_size = offset + length + 31 & ~31
    return gas


@kernel
def words_of(length: int) -> int:
    """Words that hold so many bytes."""
    return (length + 31) >> 5


@kernel
def copy_padded(target: int, source: int, source_size: int, offset: int, length: int) -> int:
    """target[:length] = source[offset:offset + length], with zeros past the end of the source."""
    present = max(0, min(length, source_size - offset))
    if present:
        copy_memory(target, source + offset, present)
    zero_memory(target + present, length - present)
    return 0


@kernel
def copy_to_memory(
    machine: Context, target: int, source: int, source_size: int, offset: int, length: int, gas: int
) -> int:
    """The data copies (CALLDATACOPY and its relatives): price, growth, copy. Returns the gas left, or -status."""
    if length == 0:
        return gas
    gas = expand(machine, target, length, gas - GAS_COPY_WORD * words_of(length))
    if gas >= 0:
        copy_padded(machine.memory + target, source, source_size, offset, length)
    return gas
