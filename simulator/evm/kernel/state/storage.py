"""Storage: one open-addressing map for the slots of all accounts, and for transient storage.

Entries are never removed inside a transaction. A slot is warm, and `original` holds, when its epoch is the
transaction's.
"""

from __future__ import annotations

from simulator.evm.kernel.exits import MISSING_SLOT, arena_full, note_missing
from simulator.evm.kernel.feedback.reads import mark_slot
from simulator.evm.kernel.layout import access
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.journal_entry import JournalEntry
from simulator.evm.kernel.layout.slot import Slot
from simulator.evm.kernel.memory_access import copy_memory
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Cell, Records, pointer
from simulator.evm.kernel.state.accesses import append_access
from simulator.evm.kernel.state.accounts import CHAIN_STORAGE
from simulator.evm.kernel.state.journal import has_room, note, note_write
from simulator.evm.kernel.status import ARENA_JOURNAL, ARENA_SLOTS, OUT_OF_GAS, STATIC_VIOLATION
from simulator.evm.kernel.words import Word, hash_word, is_zero


@kernel
def add_slot(machine: Context, entry: Slot, owner: int, key: Word) -> Slot:
    """Claim a free entry; 0 when the map is as full as it may be, or when the host must fetch the slot first."""
    if owner >= CHAIN_STORAGE and machine.forked:
        return Slot(note_missing(machine, MISSING_SLOT, owner, key))
    used = machine.slots_used + 1
    if used * 2 > machine.slots_mask:
        return Slot(0)
    machine.slots_used = used
    entry.key = key
    entry.owner = owner
    return entry


@kernel
def find_slot(machine: Context, owner: int, key: Word) -> Slot:
    """Address of the entry, made when it is missing; 0 when the map is full."""
    mask = machine.slots_mask
    start = machine.slots
    index = hash_word(key, owner) & mask
    while True:
        entry = start[index]
        found = entry.owner
        if found == owner and entry.key == key:
            return entry
        if found == 0:
            return add_slot(machine, entry, owner, key)
        index = (index + 1) & mask


@kernel
def peek_slot(machine: Context, owner: int, key: Word) -> Slot:
    """Address of the entry, or 0 when there is none."""
    mask = machine.slots_mask
    start = machine.slots
    index = hash_word(key, owner) & mask
    while True:
        entry = start[index]
        found = entry.owner
        if found == owner and entry.key == key:
            return entry
        if found == 0:
            return Slot(0)
        index = (index + 1) & mask


@kernel
def warm_slot(machine: Context, entry: Slot) -> bool:
    """Make the slot warm; true when it was cold (EIP-2929)."""
    epoch = machine.epoch
    if entry.warm_epoch == epoch:
        return False
    mark_slot(machine, entry)
    note(machine, entry.transaction_cell)
    entry.warm_epoch = epoch
    return True


@kernel
def full_map(machine: Context) -> int:
    """-EXIT, asking for a larger storage map."""
    return -arena_full(machine, ARENA_SLOTS)


@kernel
def original_value(machine: Context, entry: Slot) -> Word:
    """The slot's value at the start of the transaction, recorded at the first write."""
    epoch = machine.epoch
    if entry.original_epoch != epoch:
        note(machine, entry.transaction_cell)
        entry.original_epoch = epoch
        entry.original = entry.value
    return entry.original


@kernel
def refund_change(machine: Context, original: Word, current: Word, value: Word) -> int:
    """Change of the refund counter by a write that changes the value (EIP-2200 with the fork's amounts)."""
    clear = machine.refund_clear
    if current == original:
        return clear if is_zero(value) and not is_zero(original) else 0
    change = 0
    if not is_zero(original):
        if is_zero(current):
            change -= clear
        elif is_zero(value):
            change += clear
    if value == original:
        first = machine.gas_sstore_set if is_zero(original) else machine.gas_sstore_reset
        change += first - machine.gas_sstore_noop
    return change


@kernel
def write_cost(machine: Context, original: Word, current: Word, value: Word) -> int:
    """Price of a write to a warm slot (EIP-2200 with the fork's amounts)."""
    if value == current or current != original:
        return machine.gas_sstore_noop
    if is_zero(original):
        return machine.gas_sstore_set
    return machine.gas_sstore_reset


@kernel
def store_slot(machine: Context, key: Word, value: Word, gas: int) -> int:
    """SSTORE. Returns the gas left, or -status; after -EXIT nothing has changed."""
    if machine.static:
        return -STATIC_VIOLATION
    if gas <= machine.sstore_stipend:
        return -OUT_OF_GAS
    entry = find_slot(machine, machine.storage_owner, key)
    if not entry:
        return full_map(machine)
    if not has_room(machine):
        return -arena_full(machine, ARENA_JOURNAL)
    if warm_slot(machine, entry):
        gas -= machine.gas_sstore_cold
    if machine.recording:
        append_access(machine, access.WRITE, key, entry.value, value)
    current = entry.value
    original = original_value(machine, entry) if machine.net_sstore else current
    gas -= write_cost(machine, original, current, value)
    if gas < 0:
        return -OUT_OF_GAS
    if value != current:
        change = refund_change(machine, original, current, value)
        machine.refund += change
        note_write(machine, entry.value_cell, entry.readers)
        entry.value = value
    return gas


@kernel
def load_transient(machine: Context, entry: Slot) -> bool:
    """Return whether the entry's value belongs to this transaction."""
    return entry.warm_epoch == machine.epoch


@kernel
def store_transient(machine: Context, key: Word, value: Word) -> int:
    """TSTORE (EIP-1153). Returns 0 or -status."""
    if machine.static:
        return -STATIC_VIOLATION
    entry = find_slot(machine, -machine.storage_owner, key)
    if not entry:
        return full_map(machine)
    if not has_room(machine):
        return -arena_full(machine, ARENA_JOURNAL)
    note(machine, entry.value_cell)
    note(machine, entry.transaction_cell)
    entry.value = value
    entry.warm_epoch = machine.epoch
    return 0


@kernel
def holds_nothing(entry: Slot, owner: int) -> bool:
    return owner < 0 or (owner < CHAIN_STORAGE and is_zero(entry.value))


@kernel
def move_slots_command(machine: Context) -> int:
    """Command: fill a new map (`command_a`, mask `command_b`, all zeros) from the present one.

    `command_c` = 1 leaves out entries that hold nothing: zero values, and transient ones of earlier transactions. A
    zero of a forked chain's account is something: the chain may hold another value. Each old entry's `forward` tells
    where it went, or is 0, so that `move_journal` can follow.
    """
    target = Records[Slot](machine.command_a)
    mask = machine.command_b
    drop_empty = machine.command_c
    source = machine.slots
    used = 0
    for index in range(machine.slots_mask + 1):
        entry = source[index]
        owner = entry.owner
        if owner == 0 or (drop_empty and holds_nothing(entry, owner)):
            entry.forward = 0
            continue
        place = hash_word(entry.key, owner) & mask
        while target[place].owner != 0:
            place = (place + 1) & mask
        moved = target[place]
        copy_memory(pointer(moved), pointer(entry), Slot.SIZE)
        entry.forward = pointer(moved)
        used += 1
    return used


@kernel
def move_journal(machine: Context, start: int, end: int) -> None:
    journal = machine.journal
    for position in range(0, machine.journal_top, JournalEntry.SIZE):
        entry = JournalEntry(journal + position)
        address = pointer(entry.cell)
        if start <= address < end:
            inside = (address - start) % Slot.SIZE
            entry.cell = Cell(Slot(address - inside).forward + inside)


@kernel
def move_journal_command(machine: Context) -> int:
    """Command: after a move of the storage map, let the journal point to the moved entries. `command_a` and
    `command_b` are the first address of the old map and the one after it."""
    move_journal(machine, machine.command_a, machine.command_b)
    return 0


@kernel
def find_slot_command(machine: Context) -> int:
    """Command: the entry of owner `command_a` and key `key`, made when it is missing; 0 when the map is full."""
    return pointer(find_slot(machine, machine.command_a, machine.key))


@kernel
def peek_slot_command(machine: Context) -> int:
    """Command: the entry of owner `command_a` and key `key`, or 0."""
    return pointer(peek_slot(machine, machine.command_a, machine.key))
