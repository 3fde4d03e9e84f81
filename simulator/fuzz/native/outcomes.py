"""Outcomes of properties by the values that they read: where these are known to be fine, the call is left out.

Contracts with few states meet the same ones in sequence after sequence. For each property there is a direct-mapped
table of the values, whole, for which a call of it did not fail. They are the values of one list of words, those that
the property reads; calls that read others are not remembered. Where the table seldom helps, it rests.
"""

from __future__ import annotations

from simulator.evm.kernel.layout import context as machine
from simulator.evm.kernel.layout import slot
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import hash_word, is_zero, word
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.layout import oracle_record

CREDIT_START = 1024
CREDIT_MOST = 4096
CREDIT_OF_HIT = 8
COST_OF_LOOK = 1
COST_OF_TABLE = 256  # clearing it takes as long as some property calls
REST = 32768
STRANGE_LIMIT = 32


@kernel
def cell_address(cells: int, index: int) -> int:
    return load_i64(cells + 8 * index) & -2


@kernel
def outcome_place(oracle: int) -> int:
    """Where the table keeps the present values, should they be known."""
    cells = oracle + oracle_record.CELLS
    count = load_i64(oracle + oracle_record.CELL_COUNT)
    mixed = 0
    for index in range(count):
        mixed = hash_word(load_word(cell_address(cells, index)), mixed)
    place = mixed & load_i64(oracle + oracle_record.OUTCOME_MASK)
    return load_i64(oracle + oracle_record.OUTCOMES) + 32 * count * place


@kernel
def holds_values(oracle: int, place: int) -> bool:
    """Whether the present values stand at `place`. A free place is all zeros, so that these are never known."""
    cells = oracle + oracle_record.CELLS
    seen = word(0)
    for index in range(load_i64(oracle + oracle_record.CELL_COUNT)):
        value = load_word(cell_address(cells, index))
        if load_word(place + 32 * index) != value:
            return False
        seen = seen | value
    return not is_zero(seen)


@kernel
def mark_cells(oracle: int) -> int:
    """The property is as good as called: mark what it would have read. Balances keep their marks anyway."""
    reader = load_i64(oracle + oracle_record.READER)
    for index in range(load_i64(oracle + oracle_record.CELL_COUNT)):
        cell = load_i64(oracle + oracle_record.CELLS + 8 * index)
        if cell & 1 == 0:
            readers = cell - slot.VALUE + slot.READERS
            store_i64(readers, load_i64(readers) | reader)
    return 0


@kernel
def spend_credit(oracle: int, cost: int) -> int:
    """A table that seldom helps has to rest, and then may prove itself once more."""
    credit = load_i64(oracle + oracle_record.CREDIT) - cost
    store_i64(oracle + oracle_record.CREDIT, credit if credit >= 0 else -REST)
    return 0


@kernel
def is_resting(oracle: int) -> bool:
    credit = load_i64(oracle + oracle_record.CREDIT)
    if credit >= 0:
        return False
    credit += 1
    store_i64(oracle + oracle_record.CREDIT, credit if credit < 0 else CREDIT_START)
    return True


@kernel
def is_usable(f: int, c: int, oracle: int) -> bool:
    """Whether the table speaks of the accounts and the storage map as they are."""
    if load_i64(oracle + oracle_record.CELL_COUNT) == 0 or load_i64(f + fuzz.ACCOUNTS_STAND) == 0:
        return False
    return load_i64(oracle + oracle_record.SLOTS_MASK) == load_i64(c + machine.SLOTS_MASK)


@kernel
def outcome_is_known(f: int, c: int, oracle: int) -> bool:
    """Whether the property did not fail when it read the present values before. What it reads is marked then."""
    if not is_usable(f, c, oracle) or is_resting(oracle):
        return False
    credit = load_i64(oracle + oracle_record.CREDIT)
    known = holds_values(oracle, outcome_place(oracle))
    if known:
        mark_cells(oracle)
        store_i64(oracle + oracle_record.CREDIT, min(credit + CREDIT_OF_HIT, CREDIT_MOST))
    else:
        spend_credit(oracle, COST_OF_LOOK)
    return known


@kernel
def adopt_cells(c: int, oracle: int) -> int:
    """Remember outcomes by what the property just read, and none of those so far."""
    count = load_i64(c + machine.READ_COUNT)
    for index in range(count):
        store_i64(oracle + oracle_record.CELLS + 8 * index, load_i64(c + machine.READ_CELLS + 8 * index))
    capacity = oracle_record.OUTCOME_WORDS
    while capacity * count > oracle_record.OUTCOME_WORDS:
        capacity = capacity >> 1
    table = load_i64(oracle + oracle_record.OUTCOMES)
    for index in range(oracle_record.OUTCOME_WORDS):
        store_word(table + 32 * index, word(0))
    store_i64(oracle + oracle_record.CELL_COUNT, count)
    store_i64(oracle + oracle_record.OUTCOME_MASK, capacity - 1)
    store_i64(oracle + oracle_record.SLOTS_MASK, load_i64(c + machine.SLOTS_MASK))
    spend_credit(oracle, COST_OF_TABLE)
    return 0


@kernel
def reads_cells(c: int, oracle: int) -> bool:
    """Whether the call just read what outcomes are remembered by."""
    count = load_i64(c + machine.READ_COUNT)
    if count != load_i64(oracle + oracle_record.CELL_COUNT):
        return False
    if load_i64(oracle + oracle_record.SLOTS_MASK) != load_i64(c + machine.SLOTS_MASK):
        return False
    for index in range(count):
        if load_i64(oracle + oracle_record.CELLS + 8 * index) != load_i64(c + machine.READ_CELLS + 8 * index):
            return False
    return True


@kernel
def remember_outcome(f: int, c: int, oracle: int) -> int:
    """The property was called and did not fail; what the call did is undone. Remember the values that it read, if they
    are all that it depends on."""
    count = load_i64(c + machine.READ_COUNT)
    if count == 0 or count > machine.MOST_CELLS or load_i64(oracle + oracle_record.OUTCOMES) == 0:
        return 0
    if load_i64(f + fuzz.ACCOUNTS_STAND) == 0 or load_i64(c + machine.VOLATILE_READ) != 0:
        return 0
    if load_i64(oracle + oracle_record.CREDIT) < 0:
        return 0
    if not reads_cells(c, oracle):
        strange = load_i64(oracle + oracle_record.STRANGE) + 1
        store_i64(oracle + oracle_record.STRANGE, strange)
        if load_i64(oracle + oracle_record.CELL_COUNT) != 0 and strange < STRANGE_LIMIT:
            return 0
        adopt_cells(c, oracle)
    store_i64(oracle + oracle_record.STRANGE, 0)
    place = outcome_place(oracle)
    for index in range(count):
        store_word(place + 32 * index, load_word(cell_address(oracle + oracle_record.CELLS, index)))
    return 0
