"""Checking oracles inside the loop: assertion-like ones after each call, property calls on a copy of the state."""

from __future__ import annotations

from simulator.evm.kernel import status
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory_access import (
    load_i32,
    load_i64,
    load_u8,
    load_word_be,
)
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.state.accounts import find_account
from simulator.evm.kernel.state.storage import peek_slot
from simulator.evm.kernel.status import REJECTED_AS_UNSUPPORTED, REJECTED_BY_ASSUME, REJECTED_BY_SKIP
from simulator.evm.kernel.words import Word, less_signed, low, shift_right, word
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.function_record import FunctionRecord
from simulator.fuzz.native.layout.oracle_record import OracleRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.native.sites import NOT_NEW, new_site
from simulator.modes.checks import Check

# Compiled code takes numbers, not members of an enumeration.
PROPERTY_REVERTS = int(Check.PROPERTY_REVERTS)
OPTIMIZATION = int(Check.OPTIMIZATION)
ASSERTION_EVENT = int(Check.ASSERTION_EVENT)
OVERFLOW = int(Check.OVERFLOW)
TARGET_DESTROYED = int(Check.TARGET_DESTROYED)
ANY_DESTROYED = int(Check.ANY_DESTROYED)
FOUNDRY_TEST = int(Check.FOUNDRY_TEST)
FOUNDRY_INVARIANT = int(Check.FOUNDRY_INVARIANT)
FOUNDRY_AFTER = int(Check.FOUNDRY_AFTER)
PANIC_SELECTOR = 0x717B484E  # 0x4e487b71 as it stands in memory
ERROR_SELECTOR = 0xA079C308 - 2**32  # 0x08c379a0 as it stands in memory, signed
CHEATCODE_ERROR_SELECTOR = 0x6F9EAAEE  # 0xeeaa9e6f as it stands in memory
PANIC_ASSERT, PANIC_OVERFLOW = 0x01, 0x11
PANIC_SIZE = 36
TEXT_START = int.from_bytes(b"assertio", "little")
TEXT_END = int.from_bytes(b"n failed", "little")


@kernel
def panic_code(machine: Context, ending: int) -> int:
    """The code of a top-level `Panic(uint256)`, 0 when the call did not end in one."""
    data = machine.returndata
    if ending != status.REVERT or machine.returndata_size != PANIC_SIZE or load_i32(data) != PANIC_SELECTOR:
        return 0
    code = load_word_be(data + 4)
    if code > word(255):
        return 0
    return load_u8(data + 35)


@kernel
def starts_with_assertion_text(machine: Context, ending: int) -> bool:
    """Return whether the call reverted with a text that starts with "assertion failed": of forge-std, or of
    cheatcodes."""
    data = machine.returndata
    if ending != status.REVERT or machine.returndata_size < 84:
        return False
    selector = load_i32(data)
    if selector not in (ERROR_SELECTOR, CHEATCODE_ERROR_SELECTOR):
        return False
    return load_i64(data + 68) == TEXT_START and load_i64(data + 76) == TEXT_END


@kernel
def has_watched_panic(machine: Context, ending: int, codes: Word) -> bool:
    """Return whether the call ended in a top-level `Panic(uint256)` whose code has its bit in `codes`."""
    data = machine.returndata
    if ending != status.REVERT or machine.returndata_size != PANIC_SIZE or load_i32(data) != PANIC_SELECTOR:
        return False
    code = load_word_be(data + 4)
    return code <= word(255) and low(shift_right(codes, code)) & 1 != 0


@kernel
def assertion_failed(fuzz: Fuzz, ending: int) -> bool:
    """Return whether the finished call failed an assertion in one of the ways that the campaign watches."""
    machine = fuzz.machine
    if machine.watched_event or has_watched_panic(machine, ending, fuzz.panic_codes):
        return True
    # `assert` before solc 0.8, and what forge-std's assertions revert with, count as Panic(1).
    return low(fuzz.panic_codes) >> PANIC_ASSERT & 1 != 0 and ended_in_assertion(machine, ending)


@kernel
def ended_in_failure(fuzz: Fuzz, ending: int) -> bool:
    """Return whether the end of the call is a failure by itself, whatever events there were."""
    machine = fuzz.machine
    return has_watched_panic(machine, ending, fuzz.panic_codes) or ended_in_assertion(machine, ending)


@kernel
def ended_in_assertion(machine: Context, ending: int) -> bool:
    """Return whether the call itself ended in a failed assertion: an invalid opcode, `Panic(1)`, or the text of
    forge-std."""
    if ending == status.INVALID_OPCODE:
        return True
    if panic_code(machine, ending) == PANIC_ASSERT:
        return True
    return starts_with_assertion_text(machine, ending)


@kernel
def record_failure(fuzz: Fuzz, oracle: OracleRecord, code: int) -> None:
    """Note a failure, unless it is one at a site that is settled."""
    if oracle.failed_at >= 0:
        return
    machine = fuzz.machine
    site = new_site(machine, oracle, code, ended_in_failure(fuzz, code))
    if site != NOT_NEW:
        oracle.site = site
        oracle.failed_at = fuzz.sequence_index
        oracle.code = code
        fuzz.failures += 1


@kernel
def is_destroyed(machine: Context, wanted: Account) -> bool:
    """Return whether the transaction, not yet finished, destroys the account `wanted`, or any account when that is
    0."""
    for index in range(machine.destroyed_count):
        record = machine.destroyed[index]
        if wanted and record != wanted:
            continue
        if record.destroyed_epoch == machine.epoch:
            return True
    return False


@kernel
def global_check_failed(machine: Context, oracle: OracleRecord, ending: int) -> bool:
    check = oracle.check
    if check == ASSERTION_EVENT:
        return machine.watched_event
    if check == OVERFLOW:
        return panic_code(machine, ending) == PANIC_OVERFLOW
    if check == TARGET_DESTROYED:
        return is_destroyed(machine, find_account(machine, oracle.target))
    return check == ANY_DESTROYED and is_destroyed(machine, Account(0))


@kernel
def has_ended_well(ending: int) -> bool:
    return ending == status.STOP or ending == status.RETURN


@kernel
def failure_is_stored(fuzz: Fuzz) -> bool:
    """Return whether a failure was stored at the cheatcode address, as ds-test and old versions of forge-std do."""
    slot = peek_slot(fuzz.machine, fuzz.failed_owner, fuzz.failed_key)
    return bool(slot) and slot.value != word(0)


@kernel
def foundry_test_failed(fuzz: Fuzz, oracle: OracleRecord, ending: int) -> bool:
    """Return whether a call of a Foundry test failed it. Rejected inputs prove nothing; a test without any must not
    reject."""
    if fuzz.before_failed:
        return True
    if has_ended_well(ending):
        return failure_is_stored(fuzz)
    rejected = fuzz.machine.rejected
    if rejected == REJECTED_BY_SKIP:
        oracle.skipped = True
    if rejected == REJECTED_BY_ASSUME:
        fuzz.sequence[fuzz.sequence_index].function.rejects += 1
        return oracle.strict
    return rejected == 0 or rejected == REJECTED_AS_UNSUPPORTED


@kernel
def is_past_depth(fuzz: Fuzz, oracle: OracleRecord) -> bool:
    """Return whether the current call is one of those that the invariant is not asked after."""
    return oracle.depth > 0 and fuzz.sequence_index >= oracle.depth


@kernel
def fail_invariants(fuzz: Fuzz, ending: int, only_strict: bool) -> None:
    for index in range(fuzz.oracle_count):
        oracle = fuzz.oracles[index]
        if not oracle.open or oracle.check != FOUNDRY_INVARIANT or (only_strict and not oracle.strict):
            continue
        if not is_past_depth(fuzz, oracle):
            record_failure(fuzz, oracle, ending)


@kernel
def check_handler(fuzz: Fuzz, ending: int) -> None:
    """Check a call between invariants: failed assertions fail all of them, other reverts the strict ones."""
    machine = fuzz.machine
    if has_ended_well(ending):
        if failure_is_stored(fuzz):
            fail_invariants(fuzz, ending, False)
    elif machine.rejected == REJECTED_BY_ASSUME:
        fuzz.rejects += 1
    elif machine.rejected == 0 or machine.rejected == REJECTED_BY_SKIP:
        fail_invariants(fuzz, ending, not ended_in_assertion(machine, ending))


@kernel
def calls_alone(fuzz: Fuzz) -> bool:
    """Return whether the current sequence is a test of its own, with what comes before it: no property is asked."""
    if not fuzz.has_alone or fuzz.sequence_count == 0:
        return False
    function = fuzz.sequence[fuzz.sequence_count - 1].function
    return bool(function) and function.alone


@kernel
def is_in_place(fuzz: Fuzz, function: FunctionRecord) -> bool:
    """Return whether the current call of a test comes after the calls that belong before it, and no others."""
    return fuzz.sequence_index == function.before_count


@kernel
def is_deployed_state(fuzz: Fuzz) -> bool:
    """Return whether the target is asked as it was deployed: a wait is all of the sequence."""
    return fuzz.sequence_count == 1 and fuzz.sequence[0].is_wait


@kernel
def is_last_call(fuzz: Fuzz) -> bool:
    """Return whether the current call is the last of its sequence, and no wait."""
    index = fuzz.sequence_index
    return index >= 0 and index == fuzz.sequence_count - 1 and not fuzz.sequence[index].is_wait


@kernel
def check_call(fuzz: Fuzz, record: TransactionRecord, ending: int) -> None:
    """Check the oracles that look at the outcome of the call itself."""
    machine = fuzz.machine
    function = record.function
    if function:
        own = function.oracle
        if own and own.open:
            if own.check == FOUNDRY_TEST:
                if is_in_place(fuzz, function) and foundry_test_failed(fuzz, own, ending):
                    record_failure(fuzz, own, ending)
            elif assertion_failed(fuzz, ending):
                record_failure(fuzz, own, ending)
    if fuzz.is_foundry:
        if not calls_alone(fuzz):
            check_handler(fuzz, ending)
        elif not has_ended_well(ending):
            fuzz.before_failed = True
    for index in range(fuzz.first_global, fuzz.oracle_count):
        oracle = fuzz.oracles[index]
        if not oracle.open or not global_check_failed(machine, oracle, ending):
            continue
        if not is_told_elsewhere(oracle, record):
            record_failure(fuzz, oracle, ending)


@kernel
def is_told_elsewhere(oracle: OracleRecord, record: TransactionRecord) -> bool:
    """Return whether further sites of the test for events are findings of the function that was called."""
    if oracle.check != ASSERTION_EVENT or oracle.site_count == 0:
        return False
    function = record.function
    if not function:
        return False
    own = function.oracle
    return True if own else False  # noqa: SIM210  # a record is no truth value for the compiler


@kernel
def improve(fuzz: Fuzz, oracle: OracleRecord, ending: int) -> None:
    """Keep the greatest value that an optimization test returned; an improvement counts as a failure."""
    value = load_word_be(fuzz.machine.returndata)
    if less_signed(oracle.best, value):
        oracle.best = value
        oracle.failed_at = -1
        record_failure(fuzz, oracle, ending)


@kernel
def judge_invariant(fuzz: Fuzz, oracle: OracleRecord, ending: int) -> None:
    """An invariant has ended, or what is called after all of them. It may skip itself in the deployed state only, and
    never reject what it sees."""
    if has_ended_well(ending) and not failure_is_stored(fuzz):
        return
    rejected = fuzz.machine.rejected if ending == status.REVERT else 0
    if rejected == REJECTED_AS_UNSUPPORTED:
        return
    if rejected == REJECTED_BY_SKIP and is_deployed_state(fuzz):
        oracle.skipped = True
    elif oracle.check == FOUNDRY_AFTER:
        fail_invariants(fuzz, ending, False)
    else:
        record_failure(fuzz, oracle, ending)


@kernel
def check_property(fuzz: Fuzz, oracle: OracleRecord, ending: int) -> None:
    """Judge a finished property call by its oracle's kind. A rejected assumption, or a cheatcode that is not supported,
    says nothing about the property."""
    machine = fuzz.machine
    check = oracle.check
    if check >= FOUNDRY_INVARIANT:
        judge_invariant(fuzz, oracle, ending)
        return
    if ending == status.REVERT and machine.rejected != 0:
        oracle.void += 1
        return
    ended = ending == status.STOP or ending == status.RETURN
    if check == OPTIMIZATION and not ended:
        oracle.void += 1
    else:
        oracle.judged += 1
    if check == PROPERTY_REVERTS:
        if ended:
            record_failure(fuzz, oracle, ending)
        return
    whole = ended and machine.returndata_size >= 32
    if check == OPTIMIZATION:
        if whole:
            improve(fuzz, oracle, ending)
        return
    if not whole or load_word_be(machine.returndata) != word(1):
        record_failure(fuzz, oracle, ending)
