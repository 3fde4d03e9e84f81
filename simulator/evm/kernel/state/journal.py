"""The journal: what stood in a cell before it was written. A snapshot is a position in it, going back costs what was
written since."""

from __future__ import annotations

from simulator.evm.kernel.feedback.reads import EVERYTHING, make_dirty
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.journal_entry import JournalEntry
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Cell

# Instructions that write make sure of room for this many entries before they change anything.
HEADROOM = 32


@kernel
def has_room(machine: Context) -> bool:
    """Return whether HEADROOM more entries fit."""
    return machine.journal_top + HEADROOM * JournalEntry.SIZE <= machine.journal_limit


@kernel
def note(machine: Context, cell: Cell) -> None:
    """Remember a cell's 32 bytes before they change."""
    top = machine.journal_top
    entry = JournalEntry(machine.journal + top)
    entry.cell = cell
    entry.old = cell.word
    machine.journal_top = top + JournalEntry.SIZE


@kernel
def note_write(machine: Context, cell: Cell, readers: int) -> None:
    """As `note`, for what outlives the transaction: state, not warmth. `readers` are the marks of who read it."""
    make_dirty(machine, readers)
    note(machine, cell)


@kernel
def rollback(machine: Context, mark: int) -> None:
    """Undo every write since the journal's top was `mark`."""
    journal = machine.journal
    position = machine.journal_top
    while position > mark:
        position -= JournalEntry.SIZE
        entry = JournalEntry(journal + position)
        entry.cell.word = entry.old
    machine.journal_top = mark


@kernel
def rollback_command(machine: Context) -> int:
    """Command: roll back to the mark in `command_a`."""
    rollback(machine, machine.command_a)
    return 0


@kernel
def note_command(machine: Context) -> int:
    """Command: note the 32 bytes at `command_a` as a write of state, no matter who has read it."""
    note_write(machine, Cell(machine.command_a), EVERYTHING)
    return 0
