"""Where the interpreter and code that was compiled for one contract meet, see simulator/evm/compiled.

A compiled code stays decoded. In some of its blocks the first instruction's handler is COMPILED; the block has been
paid for and counted when it runs, and calls the code's function with the number of the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.evm.kernel.comparisons import append_comparison
from simulator.evm.kernel.coverage import count_new, note_depth
from simulator.evm.kernel.division import (
    add_modulo,
    divide,
    divide_signed,
    modulo,
    modulo_signed,
    multiply_modulo,
    power,
)
from simulator.evm.kernel.journal import has_room
from simulator.evm.kernel.keccak import hash_bytes
from simulator.evm.kernel.layout import code, context, helpers, instruction
from simulator.evm.kernel.logs import GAS_LOG_BYTE, write_log
from simulator.evm.kernel.memory import GAS_COPY_WORD, copy_padded, copy_to_memory, grow, memory_cost, words_of
from simulator.evm.kernel.memory_access import load_i32, load_i64, load_word, store_i64
from simulator.evm.kernel.mode import COMPILING, kernel
from simulator.evm.kernel.reads import mark_balance, mark_volatile
from simulator.evm.kernel.storage import find_slot, store_slot, warm_slot
from simulator.evm.kernel.words import Word, saturate

if TYPE_CHECKING or not COMPILING:
    from simulator.evm.kernel.plain.functions import address_of, call_compiled
else:
    from simulator.evm.kernel.native.functions import address_of, call_compiled

CELL_SHIFT = 3
TOO_LITTLE = -1  # not done: the gas left would be below the reserve


@kernel
def run_compiled(c: int, header: int) -> int:
    """Run the compiled function of the running code from behind a block's header, with the state in the context.

    Returns, with the state in the context again: FRAME_SWITCHED to go on at the header at IP; HANDED_OVER to go on at
    the instruction at IP; EXIT; or the status with which the frame ends, its output in FINISH_OUTPUT and
    FINISH_OUTPUT_SIZE.
    """
    function = load_i64(load_i64(c + context.CODE) + code.COMPILED)
    return call_compiled(function, c, load_i32(header + instruction.BLOCK_CELL) >> CELL_SHIFT)


@kernel
def reach_slot(c: int, key: Word) -> int:
    """The entry of a slot that SLOAD can read at once, or 0 when the interpreter has to say what happens."""
    if load_i64(c + context.RECORDING) or not has_room(c):
        return 0
    return find_slot(c, load_i64(c + context.STORAGE_OWNER), key)


@kernel
def growth_cost(offset: int, length: int, size: int) -> int:
    """Price of a memory of `size` bytes reaching to the end of a range."""
    if length == 0 or offset + length <= size:
        return 0
    return memory_cost(words_of(offset + length)) - memory_cost(size >> 5)


@kernel
def grow_within(c: int, end: int, size: int, gas: int, reserve: int) -> int:
    """`grow`, unless it left less gas than `reserve`. Negative: nothing has changed."""
    if gas - growth_cost(0, end, size) < reserve:
        return TOO_LITTLE
    return grow(c, end, size, gas)


@kernel
def copy_within(
    c: int, target: int, source: int, source_size: int, offset: int, length: int, gas: int, reserve: int
) -> int:
    """`copy_to_memory`, unless it left less gas than `reserve`. Negative: nothing has changed."""
    cost = GAS_COPY_WORD * words_of(length) + growth_cost(target, length, load_i64(c + context.MEMORY_SIZE))
    if gas - cost < reserve:
        return TOO_LITTLE
    return copy_to_memory(c, target, source, source_size, offset, length, gas)


@kernel
def log_within(c: int, sp: int, count: int, gas: int, reserve: int) -> int:
    """`write_log`, unless it left less gas than `reserve`. Negative: nothing has changed."""
    size = saturate(load_word(sp - 64))
    cost = GAS_LOG_BYTE * size + growth_cost(saturate(load_word(sp - 32)), size, load_i64(c + context.MEMORY_SIZE))
    if gas - cost < reserve:
        return TOO_LITTLE
    return write_log(c, sp, count, gas)


@kernel
def store_within(c: int, key: Word, value: Word, gas: int, reserve: int) -> int:
    """`store_slot`, unless the dearest one could leave less gas than `reserve`. Negative: nothing has changed."""
    most = load_i64(c + context.GAS_SSTORE_COLD) + load_i64(c + context.GAS_SSTORE_SET)
    if gas - most < reserve:
        return TOO_LITTLE
    return store_slot(c, key, value, gas)


@kernel
def helper_addresses_command(c: int) -> int:
    """Command: fill the table of helpers at COMMAND_A."""
    table = load_i64(c + context.COMMAND_A)
    store_i64(table + helpers.GROW_WITHIN, address_of(grow_within))
    store_i64(table + helpers.COPY_PADDED, address_of(copy_padded))
    store_i64(table + helpers.COPY_WITHIN, address_of(copy_within))
    store_i64(table + helpers.HASH_BYTES, address_of(hash_bytes))
    store_i64(table + helpers.REACH_SLOT, address_of(reach_slot))
    store_i64(table + helpers.WARM_SLOT, address_of(warm_slot))
    store_i64(table + helpers.STORE_WITHIN, address_of(store_within))
    store_i64(table + helpers.LOG_WITHIN, address_of(log_within))
    store_i64(table + helpers.DIVIDE, address_of(divide))
    store_i64(table + helpers.DIVIDE_SIGNED, address_of(divide_signed))
    store_i64(table + helpers.MODULO, address_of(modulo))
    store_i64(table + helpers.MODULO_SIGNED, address_of(modulo_signed))
    store_i64(table + helpers.ADD_MODULO, address_of(add_modulo))
    store_i64(table + helpers.MULTIPLY_MODULO, address_of(multiply_modulo))
    store_i64(table + helpers.POWER, address_of(power))
    store_i64(table + helpers.APPEND_COMPARISON, address_of(append_comparison))
    store_i64(table + helpers.NOTE_DEPTH, address_of(note_depth))
    store_i64(table + helpers.COUNT_NEW, address_of(count_new))
    store_i64(table + helpers.MARK_BALANCE, address_of(mark_balance))
    store_i64(table + helpers.MARK_VOLATILE, address_of(mark_volatile))
    return 0
