"""Crossing between the interpreter and code compiled for one contract, see simulator/evm/compiled.

A compiled code stays decoded. In some of its blocks the first instruction's handler is COMPILED; the block has been
paid for and counted when it runs, and calls the code's function with the number of the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.evm.kernel.division import (
    add_modulo,
    divide,
    divide_signed,
    modulo,
    modulo_signed,
    multiply_modulo,
    power,
)
from simulator.evm.kernel.feedback.comparisons import append_comparison
from simulator.evm.kernel.feedback.coverage import count_new, note_depth
from simulator.evm.kernel.feedback.reads import mark_balance, mark_volatile
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.helpers import Helpers
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.layout.slot import Slot
from simulator.evm.kernel.memory.keccak import hash_bytes
from simulator.evm.kernel.memory.logs import GAS_LOG_BYTE, write_log
from simulator.evm.kernel.memory.memory import GAS_COPY_WORD, copy_padded, copy_to_memory, grow, memory_cost, words_of
from simulator.evm.kernel.mode import COMPILING, kernel
from simulator.evm.kernel.records import Words, pointer
from simulator.evm.kernel.state.journal import has_room
from simulator.evm.kernel.state.storage import find_slot, store_slot, warm_slot
from simulator.evm.kernel.words import Word, saturate

if TYPE_CHECKING or not COMPILING:
    from simulator.evm.kernel.plain.functions import address_of, call_compiled
else:
    from simulator.evm.kernel.native.functions import address_of, call_compiled

CELL_SHIFT = 3
TOO_LITTLE = -1  # not done: the gas left would be below the reserve


@kernel
def run_compiled(machine: Context, header: Instruction) -> int:
    """Run the compiled function of the running code from behind a block's header, with the state in the context.

    Returns, with the state in the context again: FRAME_SWITCHED to continue at the header at `ip`; HANDED_OVER to
    continue at the instruction at `ip`; EXIT; or the status with which the frame ends, its output in `finish_output`
    and `finish_output_size`.
    """
    function = machine.code.compiled
    return call_compiled(function, pointer(machine), header.block_cell >> CELL_SHIFT)


@kernel
def reach_slot(machine: Context, key: Word) -> Slot:
    """The entry of a slot that SLOAD can read at once, or 0 when the interpreter has to say what happens."""
    if machine.recording or not has_room(machine):
        return Slot(0)
    return find_slot(machine, machine.storage_owner, key)


@kernel
def growth_cost(offset: int, length: int, size: int) -> int:
    """Price of a memory of `size` bytes reaching to the end of a range."""
    if length == 0 or offset + length <= size:
        return 0
    return memory_cost(words_of(offset + length)) - memory_cost(size >> 5)


@kernel
def grow_within(machine: Context, end: int, size: int, gas: int, reserve: int) -> int:
    """`grow`, unless it left less gas than `reserve`. Negative: nothing has changed."""
    if gas - growth_cost(0, end, size) < reserve:
        return TOO_LITTLE
    return grow(machine, end, size, gas)


@kernel
def copy_within(
    machine: Context, target: int, source: int, source_size: int, offset: int, length: int, gas: int, reserve: int
) -> int:
    """`copy_to_memory`, unless it left less gas than `reserve`. Negative: nothing has changed."""
    cost = GAS_COPY_WORD * words_of(length) + growth_cost(target, length, machine.memory_size)
    if gas - cost < reserve:
        return TOO_LITTLE
    return copy_to_memory(machine, target, source, source_size, offset, length, gas)


@kernel
def log_within(machine: Context, sp: Words, count: int, gas: int, reserve: int) -> int:
    """`write_log`, unless it left less gas than `reserve`. Negative: nothing has changed."""
    size = saturate(sp[-2])
    cost = GAS_LOG_BYTE * size + growth_cost(saturate(sp[-1]), size, machine.memory_size)
    if gas - cost < reserve:
        return TOO_LITTLE
    return write_log(machine, sp, count, gas)


@kernel
def store_within(machine: Context, key: Word, value: Word, gas: int, reserve: int) -> int:
    """`store_slot`, unless the dearest one could leave less gas than `reserve`. Negative: nothing has changed."""
    most = machine.gas_sstore_cold + machine.gas_sstore_set
    if gas - most < reserve:
        return TOO_LITTLE
    return store_slot(machine, key, value, gas)


@kernel
def helper_addresses_command(machine: Context) -> int:
    """Command: fill the table of helpers at `command_a`."""
    table = Helpers(machine.command_a)
    table.grow_within = address_of(grow_within)
    table.copy_padded = address_of(copy_padded)
    table.copy_within = address_of(copy_within)
    table.hash_bytes = address_of(hash_bytes)
    table.reach_slot = address_of(reach_slot)
    table.warm_slot = address_of(warm_slot)
    table.store_within = address_of(store_within)
    table.log_within = address_of(log_within)
    table.divide = address_of(divide)
    table.divide_signed = address_of(divide_signed)
    table.modulo = address_of(modulo)
    table.modulo_signed = address_of(modulo_signed)
    table.add_modulo = address_of(add_modulo)
    table.multiply_modulo = address_of(multiply_modulo)
    table.power = address_of(power)
    table.append_comparison = address_of(append_comparison)
    table.note_depth = address_of(note_depth)
    table.count_new = address_of(count_new)
    table.mark_balance = address_of(mark_balance)
    table.mark_volatile = address_of(mark_volatile)
    return 0
