"""0x54, 0x55, 0x5c and 0x5d: storage."""

from __future__ import annotations

from simulator.evm.kernel.exits import arena_full
from simulator.evm.kernel.instructions.macros import charge, checked, end_block, halt, instruction, macro, save_state
from simulator.evm.kernel.layout import access
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.slot import Slot
from simulator.evm.kernel.records import Words
from simulator.evm.kernel.state.accesses import append_access
from simulator.evm.kernel.state.journal import has_room
from simulator.evm.kernel.state.storage import find_slot, load_transient, store_slot, store_transient, warm_slot
from simulator.evm.kernel.status import ARENA_JOURNAL, ARENA_SLOTS, EXIT
from simulator.evm.kernel.words import Word, word


@macro
def need_slot(machine: Context, entry: Slot) -> None:
    """Leave for a larger storage map when the slot found no room, or for a larger journal."""
    if not entry:
        save_state()
        arena_full(machine, ARENA_SLOTS)
        halt(EXIT)


@instruction("SLOAD")
def sload(machine: Context, gas: int, key: Word) -> Word:
    """The price of a warm slot is part of the block's static gas."""
    entry = find_slot(machine, machine.storage_owner, key)
    need_slot(machine, entry)
    if machine.recording:
        append_access(machine, access.READ, key, entry.value, entry.value)
    if entry.warm_epoch != machine.epoch:
        if not has_room(machine):
            save_state()
            arena_full(machine, ARENA_JOURNAL)
            halt(EXIT)
        warm_slot(machine, entry)
        charge(gas, machine.gas_cold_sload - machine.gas_warm_sload)
    return entry.value


@instruction("SSTORE")
def sstore(machine: Context, sp: Words, gas: int) -> None:
    save_state()
    gas = store_slot(machine, sp[-1], sp[-2], gas)
    checked(gas)
    sp -= 2
    end_block()


@instruction("TLOAD")
def tload(machine: Context, sp: Words) -> None:
    """EIP-1153."""
    entry = find_slot(machine, -machine.storage_owner, sp[-1])
    need_slot(machine, entry)
    if load_transient(machine, entry):
        sp[-1] = entry.value
    else:
        sp[-1] = word(0)


@instruction("TSTORE")
def tstore(machine: Context, sp: Words) -> None:
    save_state()
    failure = store_transient(machine, sp[-1], sp[-2])
    checked(failure)
    sp -= 2
