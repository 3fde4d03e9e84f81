"""Readers of each cell: which property calls can have another outcome after a write.

While the fuzz loop calls a property, `reader` is the property's bit, and every slot and account that the call reads is
marked with it. A write adds the marks of what it changes to `dirty`. Properties not in `dirty` would do exactly what
they did before. What cannot be marked is told by `volatile_read`.

Marks are only ever added where they are read again; a mark too many costs a property call and nothing else.
"""

from __future__ import annotations

from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.context import MAX_CELLS, Context
from simulator.evm.kernel.layout.slot import Slot
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer

READERS = 60  # bits for readers
ANYTHING = 1 << 60  # in `dirty`: any state was written
BLOCK = 1 << 61  # in `dirty`: time or blocks passed
IDENTITY = 1 << 62  # in `dirty`: nonce, code or storage of an account
EVERYTHING = -1
IS_BALANCE = 1  # added to the address of a cell that is read: it is an account's balance


@kernel
def append_cell(machine: Context, cell: int) -> None:
    """Remember which word the reader read."""
    count = machine.read_count
    if count < MAX_CELLS:
        machine.read_cells[count] = cell
    machine.read_count = count + 1


@kernel
def mark_slot(machine: Context, entry: Slot) -> None:
    """A slot becomes warm. Its transaction cell, which holds the marks, is to be journaled after this, so that undoing
    the call leaves the mark."""
    reader = machine.reader
    if reader:
        entry.readers |= reader
        append_cell(machine, pointer(entry.value_cell))


@kernel
def mark_identity(machine: Context, record: Account) -> None:
    """Nonce, code or storage of an account is looked at."""
    reader = machine.reader
    if reader:
        record.identity_readers |= reader


@kernel
def identity_readers(record: Account) -> int:
    """Bits of `dirty` for a change of an account's nonce, code or storage id."""
    return record.identity_readers | IDENTITY


@kernel
def mark_balance(machine: Context, record: Account) -> int:
    reader = machine.reader
    if reader:
        record.balance_readers |= reader
        append_cell(machine, pointer(record.balance_cell) | IS_BALANCE)
    return 0


@kernel
def mark_volatile(machine: Context, what: int) -> int:
    """The transaction depends on BLOCK, or on ANYTHING."""
    machine.volatile_read |= what
    return 0


@kernel
def make_dirty(machine: Context, readers: int) -> None:
    """State changes that these read."""
    machine.dirty = machine.dirty | readers | ANYTHING
