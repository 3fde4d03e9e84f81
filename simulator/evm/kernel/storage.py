"""Storage: one open-addressing map for the slots of all accounts, and for transient storage.

Entries are never removed inside a transaction. A slot is warm, and ORIGINAL holds, when its epoch is the transaction's.
"""

from __future__ import annotations

from simulator.evm.kernel.accesses import append_access
from simulator.evm.kernel.accounts import CHAIN_STORAGE
from simulator.evm.kernel.exits import MISSING_SLOT, arena_full, note_missing
from simulator.evm.kernel.journal import has_room, note, note_write
from simulator.evm.kernel.layout import access, context, journal_entry, slot
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.reads import mark_slot
from simulator.evm.kernel.status import ARENA_JOURNAL, ARENA_SLOTS, OUT_OF_GAS, STATIC_VIOLATION
from simulator.evm.kernel.words import Word, hash_word, is_zero

GAS_TRANSIENT = 100


@kernel
def add_slot(c: int, entry: int, owner: int, key: Word) -> int:
    """Claim a free entry; 0 when the map is as full as it may be, or when the host must fetch the slot first."""
    if owner >= CHAIN_STORAGE and load_i64(c + context.FORKED):
        return note_missing(c, MISSING_SLOT, owner, key)
    used = load_i64(c + context.SLOTS_USED) + 1
    if used * 2 > load_i64(c + context.SLOTS_MASK):
        return 0
    store_i64(c + context.SLOTS_USED, used)
    store_word(entry + slot.KEY, key)
    store_i64(entry + slot.OWNER, owner)
    return entry


@kernel
def find_slot(c: int, owner: int, key: Word) -> int:
    """Address of the entry, made when it is missing; 0 when the map is full."""
    mask = load_i64(c + context.SLOTS_MASK)
    start = load_i64(c + context.SLOTS)
    index = hash_word(key, owner) & mask
    while True:
        entry = start + index * slot.SIZE
        found = load_i64(entry + slot.OWNER)
        if found == owner and load_word(entry + slot.KEY) == key:
            return entry
        if found == 0:
            return add_slot(c, entry, owner, key)
        index = (index + 1) & mask


@kernel
def peek_slot(c: int, owner: int, key: Word) -> int:
    """Address of the entry, or 0 when there is none."""
    mask = load_i64(c + context.SLOTS_MASK)
    start = load_i64(c + context.SLOTS)
    index = hash_word(key, owner) & mask
    while True:
        entry = start + index * slot.SIZE
        found = load_i64(entry + slot.OWNER)
        if found == owner and load_word(entry + slot.KEY) == key:
            return entry
        if found == 0:
            return 0
        index = (index + 1) & mask


@kernel
def warm_slot(c: int, entry: int) -> bool:
    """Make the slot warm; true when it was cold (EIP-2929)."""
    epoch = load_i64(c + context.EPOCH)
    if load_i64(entry + slot.WARM_EPOCH) == epoch:
        return False
    mark_slot(c, entry)
    note(c, entry + slot.TRANSACTION_CELL)
    store_i64(entry + slot.WARM_EPOCH, epoch)
    return True


@kernel
def full_map(c: int) -> int:
    """-EXIT, asking for a larger storage map."""
    return -arena_full(c, ARENA_SLOTS)


@kernel
def original_value(c: int, entry: int) -> Word:
    """The slot's value at the start of the transaction, recorded at the first write."""
    epoch = load_i64(c + context.EPOCH)
    if load_i64(entry + slot.ORIGINAL_EPOCH) != epoch:
        note(c, entry + slot.TRANSACTION_CELL)
        store_i64(entry + slot.ORIGINAL_EPOCH, epoch)
        store_word(entry + slot.ORIGINAL, load_word(entry + slot.VALUE))
    return load_word(entry + slot.ORIGINAL)


@kernel
def refund_change(c: int, original: Word, current: Word, value: Word) -> int:
    """Change of the refund counter by a write that changes the value (EIP-2200 with the fork's amounts)."""
    clear = load_i64(c + context.REFUND_CLEAR)
    if current == original:
        return clear if is_zero(value) and not is_zero(original) else 0
    change = 0
    if not is_zero(original):
        if is_zero(current):
            change -= clear
        elif is_zero(value):
            change += clear
    if value == original:
        first = context.GAS_SSTORE_SET if is_zero(original) else context.GAS_SSTORE_RESET
        change += load_i64(c + first) - load_i64(c + context.GAS_SSTORE_NOOP)
    return change


@kernel
def write_cost(c: int, original: Word, current: Word, value: Word) -> int:
    """Price of a write to a warm slot (EIP-2200 with the fork's amounts)."""
    if value == current or current != original:
        return load_i64(c + context.GAS_SSTORE_NOOP)
    if is_zero(original):
        return load_i64(c + context.GAS_SSTORE_SET)
    return load_i64(c + context.GAS_SSTORE_RESET)


@kernel
def store_slot(c: int, key: Word, value: Word, gas: int) -> int:
    """SSTORE. Returns the gas left, or -status; after -EXIT nothing has changed."""
    if load_i64(c + context.STATIC):
        return -STATIC_VIOLATION
    if gas <= load_i64(c + context.SSTORE_STIPEND):
        return -OUT_OF_GAS
    entry = find_slot(c, load_i64(c + context.STORAGE_OWNER), key)
    if entry == 0:
        return full_map(c)
    if not has_room(c):
        return -arena_full(c, ARENA_JOURNAL)
    if warm_slot(c, entry):
        gas -= load_i64(c + context.GAS_SSTORE_COLD)
    if load_i64(c + context.RECORDING):
        append_access(c, access.WRITE, key, load_word(entry + slot.VALUE), value)
    current = load_word(entry + slot.VALUE)
    original = original_value(c, entry) if load_i64(c + context.NET_SSTORE) else current
    gas -= write_cost(c, original, current, value)
    if gas < 0:
        return -OUT_OF_GAS
    if value != current:
        change = refund_change(c, original, current, value)
        store_i64(c + context.REFUND, load_i64(c + context.REFUND) + change)
        note_write(c, entry + slot.VALUE, load_i64(entry + slot.READERS))
        store_word(entry + slot.VALUE, value)
    return gas


@kernel
def load_transient(c: int, entry: int) -> bool:
    """Whether the entry's value belongs to this transaction."""
    return load_i64(entry + slot.WARM_EPOCH) == load_i64(c + context.EPOCH)


@kernel
def store_transient(c: int, key: Word, value: Word) -> int:
    """TSTORE (EIP-1153). Returns 0 or -status."""
    if load_i64(c + context.STATIC):
        return -STATIC_VIOLATION
    entry = find_slot(c, -load_i64(c + context.STORAGE_OWNER), key)
    if entry == 0:
        return full_map(c)
    if not has_room(c):
        return -arena_full(c, ARENA_JOURNAL)
    note(c, entry + slot.VALUE)
    note(c, entry + slot.TRANSACTION_CELL)
    store_word(entry + slot.VALUE, value)
    store_i64(entry + slot.WARM_EPOCH, load_i64(c + context.EPOCH))
    return 0


@kernel
def holds_nothing(entry: int, owner: int) -> bool:
    return owner < 0 or (owner < CHAIN_STORAGE and is_zero(load_word(entry + slot.VALUE)))


@kernel
def move_slots_command(c: int) -> int:
    """Command: fill a new map (COMMAND_A, mask COMMAND_B, all zeros) from the present one.

    COMMAND_C = 1 leaves out entries that hold nothing: zero values, and transient ones of earlier transactions. A zero
    of a forked chain's account is something: the chain may hold another value. Each old entry's FORWARD tells where it
    went, or is 0, so that `move_journal` can follow.
    """
    target = load_i64(c + context.COMMAND_A)
    mask = load_i64(c + context.COMMAND_B)
    drop_empty = load_i64(c + context.COMMAND_C)
    source = load_i64(c + context.SLOTS)
    used = 0
    for index in range(load_i64(c + context.SLOTS_MASK) + 1):
        entry = source + index * slot.SIZE
        owner = load_i64(entry + slot.OWNER)
        if owner == 0 or (drop_empty and holds_nothing(entry, owner)):
            store_i64(entry + slot.FORWARD, 0)
            continue
        place = hash_word(load_word(entry + slot.KEY), owner) & mask
        while load_i64(target + place * slot.SIZE + slot.OWNER) != 0:
            place = (place + 1) & mask
        moved = target + place * slot.SIZE
        for offset in range(0, slot.SIZE, 32):
            store_word(moved + offset, load_word(entry + offset))
        store_i64(entry + slot.FORWARD, moved)
        used += 1
    return used


@kernel
def move_journal(c: int, start: int, end: int) -> int:
    journal = load_i64(c + context.JOURNAL)
    for position in range(0, load_i64(c + context.JOURNAL_TOP), journal_entry.SIZE):
        cell = journal + position + journal_entry.ADDRESS
        address = load_i64(cell)
        if start <= address < end:
            inside = (address - start) % slot.SIZE
            store_i64(cell, load_i64(address - inside + slot.FORWARD) + inside)
    return 0


@kernel
def move_journal_command(c: int) -> int:
    """Command: after a move of the storage map, let the journal point to the moved entries. COMMAND_A and COMMAND_B are
    the first address of the old map and the one after it."""
    return move_journal(c, load_i64(c + context.COMMAND_A), load_i64(c + context.COMMAND_B))


@kernel
def find_slot_command(c: int) -> int:
    """Command: the entry of owner COMMAND_A and key KEY, made when it is missing; 0 when the map is full."""
    return find_slot(c, load_i64(c + context.COMMAND_A), load_word(c + context.KEY))


@kernel
def peek_slot_command(c: int) -> int:
    """Command: the entry of owner COMMAND_A and key KEY, or 0."""
    return peek_slot(c, load_i64(c + context.COMMAND_A), load_word(c + context.KEY))
