"""Clamps: arguments bound to values or ranges, and senders of a function, as a user asked for them.

They are held once a sequence is built, whatever it was built from. A call that breaks a clamp is repaired in a copy;
one that has no word where the argument belongs is dropped.
"""

from __future__ import annotations

from simulator.evm.kernel.memory_access import load_word_be, store_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.words import word
from simulator.fuzz.native.layout.clamp_record import ClampRecord
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.function_record import FunctionRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.native.random_words import random_below
from simulator.fuzz.native.transactions import copy_record

WORD_SIZE = 32


@kernel
def is_within(clamp: ClampRecord, record: TransactionRecord) -> bool:
    """Return whether a call's argument is one of those that its clamp allows."""
    argument = pointer(record.data) + clamp.offset
    value = load_word_be(argument)
    if clamp.count == 0:
        return not (value - clamp.low > clamp.span)
    for index in range(clamp.count):
        if clamp.values[index] == value:
            return True
    return False


@kernel
def put_within(fuzz: Fuzz, clamp: ClampRecord, record: TransactionRecord) -> None:
    """Give the argument a value that its clamp allows: one of the set; or an end of the range, or a place in it that
    follows from the value."""
    argument = pointer(record.data) + clamp.offset
    if clamp.count > 0:
        store_word_be(argument, clamp.values[random_below(fuzz, clamp.count)])
        return
    span = clamp.span
    place = (load_word_be(argument) - clamp.low) & clamp.mask
    if place > span:
        place = place - span - word(1)
    roll = random_below(fuzz, 8)
    if roll == 0:
        place = word(0)
    elif roll == 1:
        place = span
    store_word_be(argument, clamp.low + place)


@kernel
def may_send(function: FunctionRecord, record: TransactionRecord) -> bool:
    """Return whether the sender of a call is one of those that its function is bound to."""
    count = function.clamp_sender_count
    for index in range(count):
        if function.clamp_senders[index] == record.sender:
            return True
    return count == 0


@kernel
def keeps_clamps(function: FunctionRecord, record: TransactionRecord) -> bool:
    """Return whether a call is as the clamps of its function want it."""
    for index in range(function.clamp_count):
        if not is_within(function.clamps[index], record):
            return False
    return may_send(function, record)


@kernel
def has_places(function: FunctionRecord, record: TransactionRecord) -> bool:
    """Return whether the calldata of a call holds every argument that is bound."""
    for index in range(function.clamp_count):
        if function.clamps[index].offset + WORD_SIZE > record.data_size:
            return False
    return True


@kernel
def within_clamps(fuzz: Fuzz, record: TransactionRecord) -> TransactionRecord:
    """A call as its clamps want it: the same where it is so, else a repaired copy; 0 where there can be none."""
    function = record.function
    if not function or record.is_wait or (function.clamp_count == 0 and function.clamp_sender_count == 0):
        return record
    if not has_places(function, record):
        return TransactionRecord(0)
    if keeps_clamps(function, record):
        return record
    repaired = copy_record(fuzz, record)
    if not repaired:
        return TransactionRecord(0)
    for index in range(function.clamp_count):
        clamp = function.clamps[index]
        if not is_within(clamp, repaired):
            put_within(fuzz, clamp, repaired)
    if not may_send(function, repaired):
        repaired.sender = function.clamp_senders[random_below(fuzz, function.clamp_sender_count)]
    return repaired


@kernel
def hold_clamps(fuzz: Fuzz) -> None:
    """Let every call of the current sequence keep the clamps of its function, or drop it."""
    table = fuzz.sequence
    kept = 0
    for index in range(fuzz.sequence_count):
        record = within_clamps(fuzz, table[index])
        if record:
            table[kept] = record
            kept += 1
    fuzz.sequence_count = kept
