"""Checking oracles inside the loop: assertion-like ones after each call, property calls on a copy of the state."""

from __future__ import annotations

from simulator.evm.kernel import status
from simulator.evm.kernel.accounts import find_account
from simulator.evm.kernel.layout import account
from simulator.evm.kernel.layout import context as machine
from simulator.evm.kernel.memory_access import (
    load_i32,
    load_i64,
    load_u8,
    load_word,
    load_word_be,
    store_i64,
    store_word,
)
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import less_signed, word
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.layout import function_record, oracle_record, transaction_record

OPTIMIZATION, PROPERTY_REVERTS = 2, 1
ASSERTION_EVENT, OVERFLOW, TARGET_DESTROYED, ANY_DESTROYED = 4, 5, 6, 7
PANIC_SELECTOR = 0x717B484E  # 0x4e487b71 as it stands in memory
ERROR_SELECTOR = 0xA079C308 - 2**32  # 0x08c379a0 as it stands in memory, signed
PANIC_ASSERT, PANIC_OVERFLOW = 0x01, 0x11
PANIC_SIZE = 36
TEXT_START = int.from_bytes(b"assertio", "little")
TEXT_END = int.from_bytes(b"n failed", "little")


@kernel
def panic_code(c: int, ending: int) -> int:
    """The code of a top-level `Panic(uint256)`, 0 when the call did not end in one."""
    output = load_i64(c + machine.RETURNDATA)
    if (
        ending != status.REVERT
        or load_i64(c + machine.RETURNDATA_SIZE) != PANIC_SIZE
        or load_i32(output) != PANIC_SELECTOR
    ):
        return 0
    code = load_word_be(output + 4)
    if code > word(255):
        return 0
    return load_u8(output + 35)


@kernel
def starts_with_assertion_text(c: int, ending: int) -> int:
    """1 when the call reverted with `Error(string)` whose text starts with "assertion failed" (forge-std, ds-test)."""
    output = load_i64(c + machine.RETURNDATA)
    if ending != status.REVERT or load_i64(c + machine.RETURNDATA_SIZE) < 84 or load_i32(output) != ERROR_SELECTOR:
        return 0
    return 1 if load_i64(output + 68) == TEXT_START and load_i64(output + 76) == TEXT_END else 0


@kernel
def assertion_failed(c: int, ending: int) -> int:
    """1 when the finished call failed an assertion in one of the ways that assertion mode knows."""
    if load_i64(c + machine.WATCHED_EVENT) != 0 or ending == status.INVALID_OPCODE:
        return 1
    if panic_code(c, ending) == PANIC_ASSERT:
        return 1
    return starts_with_assertion_text(c, ending)


@kernel
def record_failure(f: int, oracle: int, code: int) -> int:
    if load_i64(oracle + oracle_record.FAILED_AT) < 0:
        store_i64(oracle + oracle_record.FAILED_AT, load_i64(f + fuzz.SEQUENCE_INDEX))
        store_i64(oracle + oracle_record.CODE, code)
        store_i64(f + fuzz.FAILURES, load_i64(f + fuzz.FAILURES) + 1)
    return 0


@kernel
def is_destroyed(c: int, wanted: int) -> bool:
    """Whether the transaction, not yet finished, destroys the account `wanted`, or any account when that is 0."""
    for index in range(load_i64(c + machine.DESTROYED_COUNT)):
        record = load_i64(load_i64(c + machine.DESTROYED) + 8 * index)
        if wanted != 0 and record != wanted:
            continue
        if load_i64(record + account.DESTROYED_EPOCH) == load_i64(c + machine.EPOCH):
            return True
    return False


@kernel
def global_check_failed(c: int, oracle: int, ending: int) -> bool:
    check = load_i64(oracle + oracle_record.CHECK)
    if check == ASSERTION_EVENT:
        return load_i64(c + machine.WATCHED_EVENT) != 0
    if check == OVERFLOW:
        return panic_code(c, ending) == PANIC_OVERFLOW
    if check == TARGET_DESTROYED:
        return is_destroyed(c, find_account(c, load_word(oracle + oracle_record.TARGET)))
    return check == ANY_DESTROYED and is_destroyed(c, 0)


@kernel
def check_call(f: int, record: int, ending: int) -> int:
    """Check the oracles that look at the outcome of the call itself."""
    c = load_i64(f + fuzz.MACHINE)
    function = load_i64(record + transaction_record.FUNCTION)
    if function != 0:
        own = load_i64(function + function_record.ORACLE)
        if own != 0 and load_i64(own + oracle_record.OPEN) != 0 and assertion_failed(c, ending) == 1:
            record_failure(f, own, ending)
    for index in range(load_i64(f + fuzz.FIRST_GLOBAL), load_i64(f + fuzz.ORACLE_COUNT)):
        oracle = load_i64(f + fuzz.ORACLES) + oracle_record.SIZE * index
        if load_i64(oracle + oracle_record.OPEN) != 0 and global_check_failed(c, oracle, ending):
            record_failure(f, oracle, ending)
    return 0


@kernel
def improve(f: int, oracle: int, ending: int) -> int:
    """Keep the greatest value that an optimization test returned; an improvement counts as a failure."""
    value = load_word_be(load_i64(load_i64(f + fuzz.MACHINE) + machine.RETURNDATA))
    if less_signed(load_word(oracle + oracle_record.BEST), value):
        store_word(oracle + oracle_record.BEST, value)
        store_i64(oracle + oracle_record.FAILED_AT, -1)
        record_failure(f, oracle, ending)
    return 0


@kernel
def check_property(f: int, oracle: int, ending: int) -> int:
    """Judge a finished property call by its oracle's kind. A rejected assumption, or a cheatcode that is not supported,
    says nothing about the property."""
    c = load_i64(f + fuzz.MACHINE)
    if ending == status.REVERT and load_i64(c + machine.REJECTED) != 0:
        return 0
    check = load_i64(oracle + oracle_record.CHECK)
    ended = ending == status.STOP or ending == status.RETURN
    if check == PROPERTY_REVERTS:
        if ended:
            record_failure(f, oracle, ending)
        return 0
    whole = ended and load_i64(c + machine.RETURNDATA_SIZE) >= 32
    if check == OPTIMIZATION:
        if whole:
            improve(f, oracle, ending)
        return 0
    if not whole or load_word_be(load_i64(c + machine.RETURNDATA)) != word(1):
        record_failure(f, oracle, ending)
    return 0
