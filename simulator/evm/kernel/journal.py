"""The journal: what stood in a cell before it was written. A snapshot is a position in it, going back costs what was
written since."""

from __future__ import annotations

from simulator.evm.kernel.layout import context, journal_entry
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.reads import EVERYTHING, make_dirty

# Instructions that write make sure of room for this many entries before they change anything.
HEADROOM = 32


@kernel
def has_room(c: int) -> bool:
    """Whether HEADROOM more entries fit."""
    return load_i64(c + context.JOURNAL_TOP) + HEADROOM * journal_entry.SIZE <= load_i64(c + context.JOURNAL_LIMIT)


@kernel
def note(c: int, address: int) -> int:
    """Remember the 32 bytes at an address before they change."""
    top = load_i64(c + context.JOURNAL_TOP)
    entry = load_i64(c + context.JOURNAL) + top
    store_i64(entry + journal_entry.ADDRESS, address)
    store_word(entry + journal_entry.OLD, load_word(address))
    store_i64(c + context.JOURNAL_TOP, top + journal_entry.SIZE)
    return 0


@kernel
def note_write(c: int, address: int, readers: int) -> int:
    """As `note`, for what outlives the transaction: state, not warmth. `readers` are the marks of who read it."""
    make_dirty(c, readers)
    return note(c, address)


@kernel
def rollback(c: int, mark: int) -> int:
    """Undo every write since JOURNAL_TOP was `mark`."""
    start = load_i64(c + context.JOURNAL)
    entry = start + load_i64(c + context.JOURNAL_TOP)
    while entry > start + mark:
        entry -= journal_entry.SIZE
        store_word(load_i64(entry + journal_entry.ADDRESS), load_word(entry + journal_entry.OLD))
    store_i64(c + context.JOURNAL_TOP, mark)
    return 0


@kernel
def rollback_command(c: int) -> int:
    """Command: roll back to the mark in COMMAND_A."""
    return rollback(c, load_i64(c + context.COMMAND_A))


@kernel
def note_command(c: int) -> int:
    """Command: note the 32 bytes at COMMAND_A as a write of state, whoever may have read it."""
    return note_write(c, load_i64(c + context.COMMAND_A), EVERYTHING)
