"""Nearness: whether a comparison came closer to the side that was never taken.

For the comparisons of each property, and for those before branches of which one side was never taken, a table holds
how close the two sides ever were. A sequence that comes closer is a waypoint: it covers nothing new, but others can
start where it ended.
"""

from __future__ import annotations

from simulator.evm.kernel.layout.comparison import Comparison
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory_access import copy_memory
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.words import Word, hash_word, leading_zeros, low, shift_right, word
from simulator.fuzz.native.layout.context import (
    NEAR_BRANCH,
    NEAR_COVERAGE,
    NEAR_NOTHING,
    NEAR_PROPERTY,
    NEAREST_SIZE,
    OPEN_SIZE,
    OPEN_SPREAD,
    WRITER_COUNT,
    WRITER_SIZE,
    Fuzz,
)
from simulator.fuzz.native.layout.transaction_record import TransactionRecord

EXACT = 32  # distances below are classes of their own
EXACT_BITS = 5
STEPS = 4  # classes of distances with the same number of bits
MAX_LOOKED_AT = 64
LEFT_GROWS, RIGHT_GROWS = 1, 2  # salts of places where operands, not distances are compared
READER_BITS = (1 << 60) - 1  # of `dirty`, see reads.py


@kernel
def distance_class(left: Word, right: Word) -> int:
    """Return the class of the distance between two words, around zero: exact where it is little, else the number of
    bits and two below the first."""
    distance = left - right
    other = right - left
    if distance > other:
        distance = other
    if distance < word(EXACT):
        return low(distance)
    bits = 256 - leading_zeros(distance)
    return EXACT + STEPS * (bits - EXACT_BITS - 1) + (low(shift_right(distance, word(bits - 3))) & 3)


@kernel
def is_nearer(fuzz: Fuzz, key: int, found: int) -> bool:
    """Return whether this is closer than ever at the place of `key`; the first time there is not. The table keeps
    the class and 1."""
    place = key & (NEAREST_SIZE - 1)
    known = fuzz.nearest[place]
    if known == 0 or found + 1 < known:
        fuzz.nearest[place] = found + 1
    return known != 0 and found + 1 < known


@kernel
def note_near(fuzz: Fuzz, kind: int, oracle: int) -> None:
    """The current call made the sequence a waypoint; coverage counts before nearness."""
    if fuzz.near_kind == NEAR_NOTHING or kind == NEAR_COVERAGE:
        fuzz.near_kind = kind
        fuzz.near_at = fuzz.sequence_index
        fuzz.near_oracle = oracle


@kernel
def place_key(pair: Comparison, salt: int) -> int:
    return hash_word(word(pair.pc), 4 * pair.code_id + salt)


@kernel
def look_at_property(fuzz: Fuzz, machine: Context) -> None:
    """After a property call whose comparisons were logged, and that did not fail: distances, and operands that have
    more bits than ever, since what grows may pass a limit that is still far."""
    log = machine.comparisons
    nearer = False
    for index in range(min(machine.comparisons_count, MAX_LOOKED_AT)):
        pair = log[index]
        if pair.left != pair.right:
            if is_nearer(fuzz, place_key(pair, 0), distance_class(pair.left, pair.right)):
                nearer = True
            if is_nearer(fuzz, place_key(pair, LEFT_GROWS), leading_zeros(pair.left)):
                nearer = True
            if is_nearer(fuzz, place_key(pair, RIGHT_GROWS), leading_zeros(pair.right)):
                nearer = True
    if nearer and fuzz.sequence_index >= 0:
        note_near(fuzz, NEAR_PROPERTY, fuzz.oracle_index)


@kernel
def look_at_branches(fuzz: Fuzz, machine: Context) -> None:
    """After a call whose comparisons were logged: those in blocks that end in a branch with an open side."""
    log = machine.comparisons
    for index in range(min(machine.comparisons_count, MAX_LOOKED_AT)):
        pair = log[index]
        if fuzz.open_blocks[(pair.pc + OPEN_SPREAD * pair.code_id) & (OPEN_SIZE - 1)] == 0 or pair.left == pair.right:
            continue
        if is_nearer(fuzz, place_key(pair, 0), distance_class(pair.left, pair.right)):
            fuzz.near_code = pair.code_id
            fuzz.near_pc = pair.pc
            note_near(fuzz, NEAR_BRANCH, -1)


@kernel
def note_writer(fuzz: Fuzz, record: TransactionRecord) -> None:
    """Keep a copy of a call that wrote what properties read, in the place of the oldest one."""
    size = TransactionRecord.data.offset + (record.data_size + 63 & ~31)
    if size > WRITER_SIZE or fuzz.machine.dirty & READER_BITS == 0:
        return
    place = fuzz.writer_next & (WRITER_COUNT - 1)
    copy_memory(fuzz.writers + place * WRITER_SIZE, pointer(record), size)
    fuzz.writer_next += 1
