"""Outcomes of properties by the values that they read: where these are known to be fine, the call is left out.

Contracts with few states meet the same ones in sequence after sequence. For each property there is a direct-mapped
table of the values, whole, for which a call of it did not fail. They are the values of one list of words, those that
the property reads; calls that read others are not remembered. Where the table seldom helps, it rests.
"""

from __future__ import annotations

from simulator.evm.kernel.feedback.reads import IS_BALANCE
from simulator.evm.kernel.layout.context import MAX_CELLS, Context
from simulator.evm.kernel.layout.slot import Slot
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Cell
from simulator.evm.kernel.words import hash_word, is_zero, word
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.oracle_record import OUTCOME_WORDS, OracleRecord

CREDIT_START = 1024
MAX_CREDIT = 4096
CREDIT_OF_HIT = 8
COST_OF_LOOK = 1
COST_OF_TABLE = 256  # clearing it takes as long as some property calls
REST = 32768
STRANGE_LIMIT = 32


@kernel
def cell_of(oracle: OracleRecord, index: int) -> Cell:
    """One of the words that the property reads."""
    return Cell(oracle.cells[index] & ~IS_BALANCE)


@kernel
def outcome_place(oracle: OracleRecord) -> int:
    """Index in the table where the present values stand, should they be known."""
    count = oracle.cell_count
    mixed = 0
    for index in range(count):
        mixed = hash_word(cell_of(oracle, index).word, mixed)
    return count * (mixed & oracle.outcome_mask)


@kernel
def holds_values(oracle: OracleRecord, place: int) -> bool:
    """Return whether the present values stand at `place`. A free place is all zeros, so that these are never known."""
    known = oracle.outcomes + place
    seen = word(0)
    for index in range(oracle.cell_count):
        value = cell_of(oracle, index).word
        if known[index] != value:
            return False
        seen = seen | value
    return not is_zero(seen)


@kernel
def mark_cells(oracle: OracleRecord) -> None:
    """The property is as good as called: mark what it would have read. Balances keep their marks anyway."""
    reader = oracle.reader
    for index in range(oracle.cell_count):
        cell = oracle.cells[index]
        if cell & IS_BALANCE == 0:
            Slot(cell - Slot.value.offset).readers |= reader


@kernel
def spend_credit(oracle: OracleRecord, cost: int) -> None:
    """A table that seldom helps has to rest, and then may prove itself once more."""
    credit = oracle.credit - cost
    oracle.credit = credit if credit >= 0 else -REST


@kernel
def is_resting(oracle: OracleRecord) -> bool:
    credit = oracle.credit
    if credit >= 0:
        return False
    credit += 1
    oracle.credit = credit if credit < 0 else CREDIT_START
    return True


@kernel
def is_usable(fuzz: Fuzz, machine: Context, oracle: OracleRecord) -> bool:
    """Return whether the table speaks of the accounts and the storage map as they are."""
    if oracle.cell_count == 0 or not fuzz.accounts_stand:
        return False
    return oracle.slots_mask == machine.slots_mask


@kernel
def outcome_is_known(fuzz: Fuzz, machine: Context, oracle: OracleRecord) -> bool:
    """Return whether the property did not fail when it read the present values before. What it reads is marked then."""
    if not is_usable(fuzz, machine, oracle) or is_resting(oracle):
        return False
    credit = oracle.credit
    known = holds_values(oracle, outcome_place(oracle))
    if known:
        mark_cells(oracle)
        oracle.credit = min(credit + CREDIT_OF_HIT, MAX_CREDIT)
    else:
        spend_credit(oracle, COST_OF_LOOK)
    return known


@kernel
def adopt_cells(machine: Context, oracle: OracleRecord) -> None:
    """Remember outcomes by what the property just read, and none of those so far."""
    count = machine.read_count
    for index in range(count):
        oracle.cells[index] = machine.read_cells[index]
    capacity = OUTCOME_WORDS
    while capacity * count > OUTCOME_WORDS:
        capacity = capacity >> 1
    table = oracle.outcomes
    for index in range(OUTCOME_WORDS):
        table[index] = word(0)
    oracle.cell_count = count
    oracle.outcome_mask = capacity - 1
    oracle.slots_mask = machine.slots_mask
    spend_credit(oracle, COST_OF_TABLE)


@kernel
def reads_cells(machine: Context, oracle: OracleRecord) -> bool:
    """Return whether the call just read what outcomes are remembered by."""
    count = machine.read_count
    if count != oracle.cell_count:
        return False
    if oracle.slots_mask != machine.slots_mask:
        return False
    for index in range(count):
        if oracle.cells[index] != machine.read_cells[index]:
            return False
    return True


@kernel
def remember_outcome(fuzz: Fuzz, machine: Context, oracle: OracleRecord) -> None:
    """The property was called and did not fail; what the call did is undone. Remember the values that it read, if they
    are all that it depends on."""
    count = machine.read_count
    if count == 0 or count > MAX_CELLS or not oracle.outcomes:
        return
    if not fuzz.accounts_stand or machine.volatile_read != 0:
        return
    if oracle.credit < 0:
        return
    if not reads_cells(machine, oracle):
        strange = oracle.strange + 1
        oracle.strange = strange
        if oracle.cell_count != 0 and strange < STRANGE_LIMIT:
            return
        adopt_cells(machine, oracle)
    oracle.strange = 0
    known = oracle.outcomes + outcome_place(oracle)
    for index in range(count):
        known[index] = cell_of(oracle, index).word
