"""Failure sites: which of the ways in which one test fails this is.

A site is known by a key. Python decides what a key means, see `simulator/fuzz/sites`. Keys that an oracle's record
holds are settled: failing there again is nothing new.
"""

from __future__ import annotations

from simulator.evm.kernel import status
from simulator.evm.kernel.feedback.failures import log_message_key, message_key
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory_access import load_i32
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.words import hash_word, word
from simulator.fuzz.native.layout.oracle_record import OracleRecord

ONE_SITE, BY_ENDING, BY_EVENT = 0, 1, 2
"""How an oracle tells its sites: not at all, by the end of the call, by watched events and then by that."""
NOT_NEW = 0
WHOLE = 1
"""The site of a failure that has no place: the test as a whole."""
SELECTOR_SIZE = 4
SELECTOR_MASK = 0xFFFFFFFF


@kernel
def is_settled(oracle: OracleRecord, key: int) -> bool:
    for index in range(oracle.site_count):
        if oracle.sites[index] == key:
            return True
    return False


@kernel
def output_key(machine: Context, every: bool) -> int:
    """Return the key of a failed call's output: its message, or its selector."""
    data = machine.returndata
    size = machine.returndata_size
    if size < SELECTOR_SIZE:
        return 2
    text = message_key(data + SELECTOR_SIZE, size - SELECTOR_SIZE, every)
    return text if text else load_i32(data) & SELECTOR_MASK


@kernel
def ending_key(machine: Context, every: bool) -> int:
    """The key of the place where the call failed, whichever function called the function that it is in; with `every`,
    without numbers in its messages."""
    key = hash_word(word(pointer(machine.failed_side)), output_key(machine, every))
    if machine.failed_log:
        key = hash_word(word(key), log_message_key(machine.failed_log, every))
    return key


@kernel
def new_event_key(machine: Context, oracle: OracleRecord) -> int:
    """The key of the first watched event that is not settled, NOT_NEW when all are."""
    for index in range(machine.event_count):
        key = machine.event_keys[index]
        family = machine.event_families[index]
        if not is_settled(oracle, key) and not is_settled(oracle, family):
            oracle.place = key
            oracle.family = family
            return key
    return NOT_NEW


@kernel
def new_ending_key(machine: Context, oracle: OracleRecord, ending: int) -> int:
    """The key of the end of the call, NOT_NEW when it is settled."""
    if ending < status.REVERT:
        return NOT_NEW if is_settled(oracle, WHOLE) else WHOLE
    place = ending_key(machine, False)
    if is_settled(oracle, place):
        return NOT_NEW
    family = ending_key(machine, True)
    key = hash_word(word(place), machine.failed_return)
    if is_settled(oracle, key) or is_settled(oracle, family):
        return NOT_NEW
    oracle.place = place
    oracle.family = family
    return key


@kernel
def new_site(machine: Context, oracle: OracleRecord, ending: int, ended_in_failure: bool) -> int:
    """The key of the site at which the oracle fails, NOT_NEW when it is settled. Where watched events count, the end of
    the call is a site of its own only if it is a failure by itself."""
    if oracle.located == ONE_SITE:
        return WHOLE
    if oracle.located == BY_EVENT and machine.event_count > 0:
        key = new_event_key(machine, oracle)
        if key != NOT_NEW or not ended_in_failure:
            return key
    return new_ending_key(machine, oracle, ending)
