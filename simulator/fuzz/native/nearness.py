"""Nearness: whether a comparison that nobody could decide otherwise has come closer to it.

For the comparisons of each property, and for the one before each failure, a table holds how close the two sides ever
were. A sequence that comes closer is a waypoint: it covers nothing new, but others can start where it ended.
"""

from __future__ import annotations

from simulator.evm.kernel.layout.comparison import Comparison
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory_access import copy_memory
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.words import Word, hash_word, leading_zeros, low, word
from simulator.fuzz.native.layout.context import (
    NEAR_COVERAGE,
    NEAR_FAILURE,
    NEAR_NOTHING,
    NEAR_PROPERTY,
    NEAREST_SIZE,
    WRITER_COUNT,
    WRITER_SIZE,
    Fuzz,
)
from simulator.fuzz.native.layout.transaction_record import TransactionRecord

EXACT = 32  # distances below are classes of their own
CLASS_OF_LENGTH = 282  # bits of larger ones: their class is this less the leading zeros
MAX_LOOKED_AT = 64
READER_BITS = (1 << 60) - 1  # of `dirty`, see reads.py


@kernel
def distance_class(left: Word, right: Word) -> int:
    """How far two words are apart, around zero: exact where it is little, else the number of bits."""
    distance = left - right
    other = right - left
    if distance > other:
        distance = other
    if distance < word(EXACT):
        return low(distance)
    return CLASS_OF_LENGTH - leading_zeros(distance)


@kernel
def is_nearer(fuzz: Fuzz, key: int, found: int) -> bool:
    """Whether this is closer than ever at the place of `key`; the first time there is not. The table keeps the class
    and 1."""
    place = key & (NEAREST_SIZE - 1)
    known = fuzz.nearest[place]
    if known == 0 or found + 1 < known:
        fuzz.nearest[place] = found + 1
    return known != 0 and found + 1 < known


@kernel
def note_near(fuzz: Fuzz, kind: int, oracle: int) -> None:
    """The call in hand made the sequence a waypoint; coverage counts before nearness."""
    if fuzz.near_kind == NEAR_NOTHING or kind == NEAR_COVERAGE:
        fuzz.near_kind = kind
        fuzz.near_at = fuzz.sequence_index
        fuzz.near_oracle = oracle


@kernel
def look_at(fuzz: Fuzz, pair: Comparison, salt: int) -> bool:
    """Whether the two sides of a comparison, which differ, are closer than ever."""
    key = hash_word(word(pair.pc), pair.code_id ^ salt)
    return is_nearer(fuzz, key, distance_class(pair.left, pair.right))


@kernel
def look_at_property(fuzz: Fuzz, machine: Context) -> None:
    """After a property call whose comparisons were logged, and that did not fail."""
    log = machine.comparisons
    nearer = False
    for index in range(min(machine.comparisons_count, MAX_LOOKED_AT)):
        pair = log[index]
        if pair.left != pair.right and look_at(fuzz, pair, 0):
            nearer = True
    if nearer:
        note_near(fuzz, NEAR_PROPERTY, fuzz.oracle_index)


@kernel
def look_at_failure(fuzz: Fuzz, machine: Context) -> None:
    """After a call that reverted: the comparison before the branch that was taken last decided that."""
    count = machine.comparisons_count
    side = pointer(machine.failed_side)
    if count == 0 or count > machine.comparisons_mask or side == 0:
        return
    pair = machine.comparisons[count - 1]
    if pair.left != pair.right and look_at(fuzz, pair, side):
        fuzz.near_side = side
        note_near(fuzz, NEAR_FAILURE, -1)


@kernel
def note_writer(fuzz: Fuzz, record: TransactionRecord) -> None:
    """Keep a copy of a call that wrote what properties read, in the place of the oldest one."""
    size = TransactionRecord.data.offset + (record.data_size + 63 & ~31)
    if size > WRITER_SIZE or fuzz.machine.dirty & READER_BITS == 0:
        return
    place = fuzz.writer_next & (WRITER_COUNT - 1)
    copy_memory(fuzz.writers + place * WRITER_SIZE, pointer(record), size)
    fuzz.writer_next += 1
