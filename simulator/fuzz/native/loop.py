"""The fuzz loop: a state machine that builds, executes and judges sequences until Python has something to do.

It leaves to Python for a service of the EVM's host (and goes on where it was), for a sequence worth keeping, and at
its limit. All state is in the fuzz context, so leaving and resuming costs nothing.
"""

from __future__ import annotations

from simulator.evm.kernel import status
from simulator.evm.kernel.accounts import find_account
from simulator.evm.kernel.commands import command
from simulator.evm.kernel.journal import rollback
from simulator.evm.kernel.layout import context as machine
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i32, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.reads import BLOCK, EVERYTHING, IDENTITY
from simulator.evm.kernel.running import run
from simulator.evm.kernel.transactions import begin_transaction, finish_transaction
from simulator.evm.kernel.words import word
from simulator.fuzz.native import phases
from simulator.fuzz.native.comparisons import harvest_comparisons
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.layout import function_record, oracle_record, transaction_record
from simulator.fuzz.native.oracles import check_call, check_property
from simulator.fuzz.native.outcomes import outcome_is_known, remember_outcome
from simulator.fuzz.native.random_words import random_below
from simulator.fuzz.native.results import harvest_results
from simulator.fuzz.native.sequences import build_sequence


@kernel
def current_record(f: int) -> int:
    return load_i64(load_i64(f + fuzz.SEQUENCE) + 8 * load_i64(f + fuzz.SEQUENCE_INDEX))


@kernel
def pass_time(f: int, c: int, record: int) -> int:
    seconds = load_i64(record + transaction_record.SECONDS)
    blocks = load_i64(record + transaction_record.BLOCKS)
    if seconds != 0 or blocks != 0:
        store_word(c + machine.TIMESTAMP, load_word(c + machine.TIMESTAMP) + word(seconds))
        store_word(c + machine.NUMBER, load_word(c + machine.NUMBER) + word(blocks))
        store_i64(c + machine.DIRTY, load_i64(c + machine.DIRTY) | BLOCK)
    return 0


@kernel
def start_properties(f: int, c: int, changed: int) -> int:
    """Enter the property phase. `changed` are bits of DIRTY; without any there is nothing to check."""
    if load_i64(f + fuzz.ALWAYS_CHECK) != 0:
        changed = EVERYTHING
    store_i64(f + fuzz.CHANGED, changed)
    store_i64(c + machine.DIRTY, 0)
    if changed & IDENTITY != 0 and load_i64(f + fuzz.SEQUENCE_INDEX) >= 0:
        store_i64(f + fuzz.ACCOUNTS_STAND, 0)
    if changed != 0:
        store_i64(f + fuzz.ORACLE_INDEX, -1)
        store_i64(f + fuzz.PROPERTY_MARK, load_i64(c + machine.JOURNAL_TOP))
        store_i64(c + machine.COMPARISONS_ON, 0)
        store_i64(f + fuzz.PHASE, phases.PHASE_NEXT_PROPERTY)
    return 0


@kernel
def learn_reads(f: int, c: int) -> int:
    """Before a sequence: call the properties of which it is not known what they read in the deployed state."""
    for index in range(load_i64(f + fuzz.PROPERTY_COUNT)):
        oracle = load_i64(f + fuzz.ORACLES) + oracle_record.SIZE * index
        if load_i64(oracle + oracle_record.OPEN) != 0 and load_i64(oracle + oracle_record.KNOWN) == 0:
            return start_properties(f, c, EVERYTHING)
    return 0


@kernel
def start_sequence(f: int) -> int:
    """Build a sequence, or take the given one, and reset what belongs to one sequence.

    Properties hold in the deployed state, or are closed; only given sequences check that again. All marks of what is
    read there stay: they are made at the journal's position where the sequence begins.
    """
    c = load_i64(f + fuzz.MACHINE)
    store_i64(c + machine.READER, 0)
    store_i64(c + machine.DIRTY, EVERYTHING if load_i64(f + fuzz.ONE_SEQUENCE) else 0)
    if load_i64(f + fuzz.ONE_SEQUENCE) == 0:
        build_sequence(f)
        store_i64(f + fuzz.SEQUENCES, load_i64(f + fuzz.SEQUENCES) + 1)
    store_i64(f + fuzz.SEQUENCE_INDEX, -1)
    store_i64(f + fuzz.LAST_NEW, -1)
    store_i64(f + fuzz.FAILURES, 0)
    store_i64(f + fuzz.ACCOUNTS_STAND, 1)
    for index in range(load_i64(f + fuzz.ORACLE_COUNT)):
        store_i64(load_i64(f + fuzz.ORACLES) + oracle_record.SIZE * index + oracle_record.FAILED_AT, -1)
    wanted = load_i64(f + fuzz.LOG_COMPARISONS)
    comparing = phases.LOG_NONE if wanted == phases.LOG_SOME and random_below(f, 8) != 0 else wanted
    store_i64(f + fuzz.COMPARING, comparing)
    store_i64(c + machine.COMPARISONS_ON, min(comparing, 1))
    store_i64(f + fuzz.PHASE, phases.PHASE_NEXT_CALL)
    if load_i64(f + fuzz.ONE_SEQUENCE) == 0:
        learn_reads(f, c)
    return 0


@kernel
def next_call(f: int) -> int:
    """Advance to the next transaction: let its delay pass and set it up, or end the sequence."""
    index = load_i64(f + fuzz.SEQUENCE_INDEX) + 1
    store_i64(f + fuzz.SEQUENCE_INDEX, index)
    stop_early = load_i64(f + fuzz.STOP_AT_FAILURE) != 0 and load_i64(f + fuzz.FAILURES) > 0
    if index >= load_i64(f + fuzz.SEQUENCE_COUNT) or stop_early:
        store_i64(f + fuzz.PHASE, phases.PHASE_END_SEQUENCE)
        return 0
    c = load_i64(f + fuzz.MACHINE)
    record = current_record(f)
    pass_time(f, c, record)
    if load_i64(record + transaction_record.IS_WAIT) != 0:
        if load_i64(f + fuzz.CHECK_ORACLES) != 0 and load_i64(f + fuzz.PROPERTY_COUNT) > 0:
            start_properties(f, c, load_i64(c + machine.DIRTY))
        return 0
    store_word(c + machine.TX_SENDER, load_word(record + transaction_record.SENDER))
    store_i64(c + machine.TX_TO, find_account(c, load_word(record + transaction_record.TARGET)))
    store_word(c + machine.TX_VALUE, load_word(record + transaction_record.VALUE))
    store_i64(c + machine.TX_DATA, record + transaction_record.DATA)
    store_i64(c + machine.TX_DATA_SIZE, load_i64(record + transaction_record.DATA_SIZE))
    store_i64(c + machine.TX_GAS, load_i64(record + transaction_record.GAS))
    store_i64(c + machine.COMPARISONS_COUNT, 0)
    store_i64(f + fuzz.COVERAGE_BEFORE, load_i64(c + machine.NEW_COVERAGE))
    store_i64(f + fuzz.DIRTY_BEFORE, load_i64(c + machine.DIRTY))
    store_i64(f + fuzz.PHASE, phases.PHASE_BEGIN_CALL)
    return 0


@kernel
def count_call(f: int, c: int, record: int, succeeded: int) -> int:
    """Count a call of a built sequence; executions for trimming, shrinking and replay are not part of the budget."""
    if load_i64(f + fuzz.ONE_SEQUENCE) != 0:
        return 0
    store_i64(f + fuzz.CALLS, load_i64(f + fuzz.CALLS) + 1)
    store_i64(f + fuzz.GAS, load_i64(f + fuzz.GAS) + load_i64(c + machine.TX_GAS) - load_i64(c + machine.GAS))
    function = load_i64(record + transaction_record.FUNCTION)
    if function != 0:
        store_i64(function + function_record.CALLS, load_i64(function + function_record.CALLS) + 1)
    if not succeeded:
        store_i64(f + fuzz.REVERTED, load_i64(f + fuzz.REVERTED) + 1)
        if function != 0:
            store_i64(function + function_record.REVERTS, load_i64(function + function_record.REVERTS) + 1)
    return 0


@kernel
def end_call(f: int, ending: int) -> int:
    """Book a finished transaction and decide whether properties are to be checked after it."""
    c = load_i64(f + fuzz.MACHINE)
    record = current_record(f)
    if load_i64(f + fuzz.CHECK_ORACLES) != 0:
        check_call(f, record, ending)
    finish_transaction(c, ending)
    succeeded = ending == status.STOP or ending == status.RETURN
    count_call(f, c, record, succeeded)
    if load_i64(c + machine.NEW_COVERAGE) != load_i64(f + fuzz.COVERAGE_BEFORE):
        store_i64(f + fuzz.LAST_NEW, load_i64(f + fuzz.SEQUENCE_INDEX))
    if load_i64(f + fuzz.COMPARING) == phases.LOG_SOME:
        harvest_comparisons(f, record)
        if succeeded:
            harvest_results(f)
    store_i64(f + fuzz.PHASE, phases.PHASE_NEXT_CALL)
    if not succeeded:
        store_i64(c + machine.DIRTY, load_i64(f + fuzz.DIRTY_BEFORE))
    elif load_i64(f + fuzz.CHECK_ORACLES) != 0 and load_i64(f + fuzz.PROPERTY_COUNT) > 0:
        start_properties(f, c, load_i64(c + machine.DIRTY))
    return 0


@kernel
def property_due(f: int, oracle: int) -> bool:
    """Whether a property can have another outcome than when it was last called: something that it read has changed.

    Its last call may be the one in the deployed state, to which the sequence began with going back.
    """
    if load_i64(oracle + oracle_record.OPEN) == 0 or load_i64(oracle + oracle_record.FAILED_AT) >= 0:
        return False
    if load_i64(f + fuzz.SEQUENCE_INDEX) < 0:
        return load_i64(oracle + oracle_record.KNOWN) == 0
    if load_i64(f + fuzz.CHANGED) & load_i64(oracle + oracle_record.DUE_WHEN) == 0:
        return False
    return not outcome_is_known(f, load_i64(f + fuzz.MACHINE), oracle)


@kernel
def next_property(f: int) -> int:
    """Set up the next property call that is due, or go on to the next transaction."""
    index = load_i64(f + fuzz.ORACLE_INDEX) + 1
    count = load_i64(f + fuzz.PROPERTY_COUNT)
    while index < count and not property_due(f, load_i64(f + fuzz.ORACLES) + oracle_record.SIZE * index):
        index += 1
    c = load_i64(f + fuzz.MACHINE)
    if index >= count:
        store_i64(c + machine.COMPARISONS_ON, min(load_i64(f + fuzz.COMPARING), 1))
        store_i64(f + fuzz.PHASE, phases.PHASE_NEXT_CALL)
        return 0
    oracle = load_i64(f + fuzz.ORACLES) + oracle_record.SIZE * index
    store_i64(f + fuzz.ORACLE_INDEX, index)
    store_i32(load_i64(f + fuzz.PROPERTY_CALLDATA), load_i64(oracle + oracle_record.SELECTOR))
    store_word(c + machine.TX_SENDER, load_word(f + fuzz.PROPERTY_SENDER))
    store_i64(c + machine.TX_TO, find_account(c, load_word(oracle + oracle_record.TARGET)))
    store_word(c + machine.TX_VALUE, word(0))
    store_i64(c + machine.TX_DATA, load_i64(f + fuzz.PROPERTY_CALLDATA))
    store_i64(c + machine.TX_DATA_SIZE, 4)
    store_i64(c + machine.TX_GAS, load_i64(f + fuzz.PROPERTY_GAS))
    store_i64(c + machine.READER, load_i64(oracle + oracle_record.READER))
    store_i64(c + machine.READ_COUNT, 0)
    store_i64(f + fuzz.PHASE, phases.PHASE_BEGIN_PROPERTY)
    return 0


@kernel
def end_property(f: int, ending: int) -> int:
    """Judge a property call, learn what it depends on, and undo what it did. Before the first call of a sequence there
    is nothing to judge."""
    c = load_i64(f + fuzz.MACHINE)
    oracle = load_i64(f + fuzz.ORACLES) + oracle_record.SIZE * load_i64(f + fuzz.ORACLE_INDEX)
    finish_transaction(c, ending)
    if load_i64(f + fuzz.SEQUENCE_INDEX) < 0:
        store_i64(oracle + oracle_record.KNOWN, 1)
    else:
        check_property(f, oracle, ending)
    due_when = load_i64(oracle + oracle_record.DUE_WHEN) | load_i64(c + machine.VOLATILE_READ)
    store_i64(oracle + oracle_record.DUE_WHEN, due_when)
    rollback(c, load_i64(f + fuzz.PROPERTY_MARK))
    store_i64(c + machine.DIRTY, 0)
    store_i64(c + machine.READER, 0)
    if load_i64(f + fuzz.SEQUENCE_INDEX) >= 0 and load_i64(oracle + oracle_record.FAILED_AT) < 0:
        remember_outcome(f, c, oracle)
    store_i64(f + fuzz.PHASE, phases.PHASE_NEXT_PROPERTY)
    return 0


@kernel
def end_sequence(f: int) -> int:
    """Return to the deployed state. Answers what Python has to hear, 0 for nothing."""
    c = load_i64(f + fuzz.MACHINE)
    rollback(c, load_i64(f + fuzz.BASE_MARK))
    store_word(c + machine.TIMESTAMP, load_word(f + fuzz.BASE_TIMESTAMP))
    store_word(c + machine.NUMBER, load_word(f + fuzz.BASE_NUMBER))
    store_i64(c + machine.COMPARISONS_ON, 0)
    store_i64(f + fuzz.PHASE, phases.PHASE_NEXT_SEQUENCE)
    if load_i64(f + fuzz.ONE_SEQUENCE) != 0:
        return phases.RETURN_SEQUENCE
    if load_i64(f + fuzz.LAST_NEW) >= 0 or load_i64(f + fuzz.FAILURES) > 0:
        return phases.RETURN_FOUND
    return 0


@kernel
def limit_reached(f: int) -> bool:
    if load_i64(f + fuzz.CALLS) >= load_i64(f + fuzz.CALL_LIMIT):
        return True
    return load_i64(f + fuzz.SEQUENCES) >= load_i64(f + fuzz.SEQUENCE_LIMIT)


@kernel
def is_pause_due(f: int, phase: int) -> bool:
    """Between two calls: whether it is time to let Python look around, however heavy the calls are."""
    if phase != phases.PHASE_NEXT_CALL and phase != phases.PHASE_NEXT_PROPERTY:
        return False
    if load_i64(f + fuzz.GAS_SINCE_PAUSE) < phases.PAUSE_GAS:
        return False
    store_i64(f + fuzz.GAS_SINCE_PAUSE, 0)
    return True


@kernel
def end_run(f: int, c: int, phase: int, ending: int) -> int:
    """A call or a property call has ended."""
    used = load_i64(c + machine.TX_GAS) - load_i64(c + machine.GAS)
    store_i64(f + fuzz.GAS_SINCE_PAUSE, load_i64(f + fuzz.GAS_SINCE_PAUSE) + used)
    if phase == phases.PHASE_RUN_CALL:
        return end_call(f, ending)
    return end_property(f, ending)


@command(phases.FUZZ_COMMAND)
@kernel
def run_fuzz(f: int) -> int:
    """Run until there is something for Python; answers one of the RETURN_ codes of `phases`."""
    c = load_i64(f + fuzz.MACHINE)
    while True:
        phase = load_i64(f + fuzz.PHASE)
        if phase == phases.PHASE_BEGIN_CALL or phase == phases.PHASE_BEGIN_PROPERTY:
            if begin_transaction(c) == status.EXIT:
                return phases.RETURN_EXIT
            store_i64(f + fuzz.PHASE, phase + 1)
        elif phase == phases.PHASE_RUN_CALL or phase == phases.PHASE_RUN_PROPERTY:
            ending = run(c)
            if ending == status.EXIT:
                return phases.RETURN_EXIT
            end_run(f, c, phase, ending)
        elif is_pause_due(f, phase):
            return phases.RETURN_PAUSE
        elif phase == phases.PHASE_NEXT_CALL:
            next_call(f)
        elif phase == phases.PHASE_NEXT_PROPERTY:
            next_property(f)
        elif phase == phases.PHASE_NEXT_SEQUENCE:
            if load_i64(f + fuzz.ONE_SEQUENCE) == 0 and limit_reached(f):
                return phases.RETURN_LIMIT
            start_sequence(f)
        else:
            found = end_sequence(f)
            if found != 0:
                return found
