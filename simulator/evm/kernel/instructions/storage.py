"""0x54, 0x55, 0x5c and 0x5d: storage."""

from __future__ import annotations

from simulator.evm.kernel.accesses import append_access
from simulator.evm.kernel.exits import arena_full
from simulator.evm.kernel.instructions.macros import charge, checked, end_block, halt, instruction, macro, save_state
from simulator.evm.kernel.journal import has_room
from simulator.evm.kernel.layout import access, context, slot
from simulator.evm.kernel.memory_access import load_i64, load_word, store_word
from simulator.evm.kernel.status import ARENA_JOURNAL, ARENA_SLOTS, EXIT
from simulator.evm.kernel.storage import find_slot, load_transient, store_slot, store_transient, warm_slot
from simulator.evm.kernel.words import Word, word


@macro
def need_slot(c: int, entry: int) -> None:
    """Leave for a larger storage map when the slot found no room, or for a larger journal."""
    if entry == 0:
        save_state()
        arena_full(c, ARENA_SLOTS)
        halt(EXIT)


@instruction("SLOAD")
def sload(c: int, gas: int, key: Word) -> Word:
    """The price of a warm slot is part of the block's static gas."""
    entry = find_slot(c, load_i64(c + context.STORAGE_OWNER), key)
    need_slot(c, entry)
    if load_i64(c + context.RECORDING):
        append_access(c, access.READ, key, load_word(entry + slot.VALUE), load_word(entry + slot.VALUE))
    if load_i64(entry + slot.WARM_EPOCH) != load_i64(c + context.EPOCH):
        if not has_room(c):
            save_state()
            arena_full(c, ARENA_JOURNAL)
            halt(EXIT)
        warm_slot(c, entry)
        charge(gas, load_i64(c + context.GAS_COLD_SLOAD) - load_i64(c + context.GAS_WARM_SLOAD))
    return load_word(entry + slot.VALUE)


@instruction("SSTORE")
def sstore(c: int, sp: int, gas: int) -> None:
    save_state()
    gas = store_slot(c, load_word(sp - 32), load_word(sp - 64), gas)
    checked(gas)
    sp -= 64
    end_block()


@instruction("TLOAD")
def tload(c: int, sp: int) -> None:
    """EIP-1153."""
    entry = find_slot(c, -load_i64(c + context.STORAGE_OWNER), load_word(sp - 32))
    need_slot(c, entry)
    if load_transient(c, entry):
        store_word(sp - 32, load_word(entry + slot.VALUE))
    else:
        store_word(sp - 32, word(0))


@instruction("TSTORE")
def tstore(c: int, sp: int) -> None:
    save_state()
    failure = store_transient(c, load_word(sp - 32), load_word(sp - 64))
    checked(failure)
    sp -= 64
