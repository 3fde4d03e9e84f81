"""Who read what: which property calls can have another outcome after a write.

While the fuzz loop calls a property, READER is the property's bit, and every slot and account that the call reads is
marked with it. A write adds the marks of what it changes to DIRTY. Properties not in DIRTY would do exactly what they
did before. What cannot be marked is told by VOLATILE_READ.

Marks are only ever added where they are read again; a mark too many costs a property call and nothing else.
"""

from __future__ import annotations

from simulator.evm.kernel.layout import account, context, slot
from simulator.evm.kernel.memory_access import load_i64, store_i64
from simulator.evm.kernel.mode import kernel

READERS = 60  # bits for readers
ANYTHING = 1 << 60  # in DIRTY: any state was written
BLOCK = 1 << 61  # in DIRTY: time or blocks passed
IDENTITY = 1 << 62  # in DIRTY: nonce, code or storage of an account
EVERYTHING = -1


@kernel
def append_cell(c: int, cell: int) -> int:
    """Remember which word the reader read."""
    count = load_i64(c + context.READ_COUNT)
    if count < context.MOST_CELLS:
        store_i64(c + context.READ_CELLS + 8 * count, cell)
    store_i64(c + context.READ_COUNT, count + 1)
    return 0


@kernel
def mark_slot(c: int, entry: int) -> int:
    """A slot becomes warm. Its transaction cell, which holds the marks, is to be journaled after this, so that undoing
    the call leaves the mark."""
    reader = load_i64(c + context.READER)
    if reader:
        store_i64(entry + slot.READERS, load_i64(entry + slot.READERS) | reader)
        append_cell(c, entry + slot.VALUE)
    return 0


@kernel
def mark_identity(c: int, record: int) -> int:
    """Nonce, code or storage of an account is looked at."""
    reader = load_i64(c + context.READER)
    if reader:
        store_i64(record + account.IDENTITY_READERS, load_i64(record + account.IDENTITY_READERS) | reader)
    return 0


@kernel
def identity_readers(record: int) -> int:
    """Bits of DIRTY for a change of an account's nonce, code or storage id."""
    return load_i64(record + account.IDENTITY_READERS) | IDENTITY


@kernel
def mark_balance(c: int, record: int) -> int:
    reader = load_i64(c + context.READER)
    if reader:
        store_i64(record + account.BALANCE_READERS, load_i64(record + account.BALANCE_READERS) | reader)
        append_cell(c, (record + account.BALANCE) | 1)
    return 0


@kernel
def mark_volatile(c: int, what: int) -> int:
    """The transaction depends on BLOCK, or on ANYTHING."""
    store_i64(c + context.VOLATILE_READ, load_i64(c + context.VOLATILE_READ) | what)
    return 0


@kernel
def make_dirty(c: int, readers: int) -> int:
    """State changes that these read."""
    store_i64(c + context.DIRTY, load_i64(c + context.DIRTY) | readers | ANYTHING)
    return 0
