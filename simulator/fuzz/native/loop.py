"""The fuzz loop: a state machine that builds, executes and judges sequences until Python has something to do.

It leaves to Python for a service of the EVM's host (and continues where it was), for a sequence worth keeping, and at
its limit. All state is in the fuzz context, so leaving and resuming costs nothing.
"""

from __future__ import annotations

from simulator.evm.kernel import status
from simulator.evm.kernel.feedback.reads import BLOCK, EVERYTHING, IDENTITY
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.run.running import run
from simulator.evm.kernel.run.transactions import begin_transaction, finish_transaction
from simulator.evm.kernel.state.accounts import find_account
from simulator.evm.kernel.state.journal import rollback
from simulator.evm.kernel.words import word
from simulator.fuzz.native import phases
from simulator.fuzz.native.comparisons import harvest_comparisons
from simulator.fuzz.native.layout.context import NEAR_COVERAGE, NEAR_NOTHING, Fuzz
from simulator.fuzz.native.layout.oracle_record import OracleRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.native.nearness import look_at_branches, look_at_property, note_near, note_writer
from simulator.fuzz.native.oracles import (
    FOUNDRY_AFTER,
    calls_alone,
    check_call,
    check_property,
    is_last_call,
    is_past_depth,
)
from simulator.fuzz.native.outcomes import outcome_is_known, remember_outcome
from simulator.fuzz.native.random_words import random_below
from simulator.fuzz.native.results import harvest_results
from simulator.fuzz.native.sequences import build_sequence

LAST = -(1 << 63)  # in `changed`, read by no property: a sequence ends, and nothing has changed


@kernel
def current_record(fuzz: Fuzz) -> TransactionRecord:
    return fuzz.sequence[fuzz.sequence_index]


@kernel
def pass_time(fuzz: Fuzz, machine: Context, record: TransactionRecord) -> None:
    seconds = record.seconds
    blocks = record.blocks
    if seconds != 0 or blocks != 0:
        machine.timestamp = machine.timestamp + word(seconds)
        machine.number = machine.number + word(blocks)
        machine.dirty |= BLOCK


@kernel
def logs_properties(fuzz: Fuzz) -> bool:
    """Return whether comparisons of properties are of interest: in few of the sequences in which those of calls are."""
    if fuzz.comparing == phases.LOG_SOME:
        return fuzz.sequences & 3 == 0
    return fuzz.comparing == phases.LOG_ALL


@kernel
def start_properties(fuzz: Fuzz, machine: Context, changed: int) -> None:
    """Enter the property phase. `changed` are bits of `dirty`; without any there is nothing to check."""
    if fuzz.always_check:
        changed = EVERYTHING
    fuzz.changed = changed
    machine.dirty = 0
    if changed & IDENTITY != 0 and fuzz.sequence_index >= 0:
        fuzz.accounts_stand = False
    if changed != 0:
        fuzz.oracle_index = -1
        fuzz.property_mark = machine.journal_top
        machine.comparisons_on = logs_properties(fuzz)
        fuzz.phase = phases.PHASE_NEXT_PROPERTY


@kernel
def learn_reads(fuzz: Fuzz, machine: Context) -> None:
    """Before a sequence: call the properties of which it is not known what they read in the deployed state."""
    for index in range(fuzz.property_count):
        oracle = fuzz.oracles[index]
        if oracle.open and not oracle.known:
            start_properties(fuzz, machine, EVERYTHING)
            return


@kernel
def start_sequence(fuzz: Fuzz) -> None:
    """Build a sequence, or take the given one, and reset what belongs to one sequence.

    Properties hold in the deployed state, or are closed; only given sequences check that again. All marks of what is
    read there stay: they are made at the journal's position where the sequence begins.
    """
    machine = fuzz.machine
    machine.reader = 0
    machine.dirty = EVERYTHING if fuzz.one_sequence else 0
    if not fuzz.one_sequence:
        build_sequence(fuzz)
        fuzz.sequences += 1
    fuzz.sequence_index = -1
    fuzz.last_new = -1
    fuzz.failures = 0
    fuzz.before_failed = False
    fuzz.accounts_stand = True
    for index in range(fuzz.oracle_count):
        fuzz.oracles[index].failed_at = -1
    wanted = fuzz.log_comparisons
    comparing = phases.LOG_NONE if wanted == phases.LOG_SOME and random_below(fuzz, 8) != 0 else wanted
    fuzz.comparing = comparing
    machine.comparisons_on = comparing != 0
    fuzz.near_kind = NEAR_NOTHING
    fuzz.phase = phases.PHASE_NEXT_CALL
    if not fuzz.one_sequence:
        learn_reads(fuzz, machine)


@kernel
def next_call(fuzz: Fuzz) -> None:
    """Advance to the next transaction: let its delay pass and set it up, or end the sequence."""
    index = fuzz.sequence_index + 1
    fuzz.sequence_index = index
    stop_early = fuzz.stop_at_failure and fuzz.failures > 0
    if index >= fuzz.sequence_count or stop_early:
        fuzz.phase = phases.PHASE_END_SEQUENCE
        return
    machine = fuzz.machine
    record = current_record(fuzz)
    pass_time(fuzz, machine, record)
    if record.is_wait:
        if fuzz.check_oracles and fuzz.property_count > 0:
            start_properties(fuzz, machine, machine.dirty)
        return
    machine.tx_sender = record.sender
    machine.tx_to = find_account(machine, record.target)
    machine.tx_value = record.value
    machine.tx_data = pointer(record.data)
    machine.tx_data_size = record.data_size
    machine.tx_gas = record.gas
    if index <= fuzz.log_from:
        machine.comparisons_count = 0
    fuzz.coverage_before = machine.new_coverage
    fuzz.dirty_before = machine.dirty
    fuzz.phase = phases.PHASE_BEGIN_CALL


@kernel
def count_call(fuzz: Fuzz, machine: Context, record: TransactionRecord, succeeded: bool) -> None:
    """Count a call of a built sequence; executions for trimming, shrinking and replay are not part of the budget."""
    if fuzz.one_sequence:
        return
    fuzz.calls += 1
    fuzz.gas = fuzz.gas + machine.tx_gas - machine.gas
    function = record.function
    if function:
        function.calls += 1
    if not succeeded:
        fuzz.reverted += 1
        if function:
            function.reverts += 1


@kernel
def end_call(fuzz: Fuzz, ending: int) -> None:
    """Book a finished transaction and decide whether properties are to be checked after it."""
    machine = fuzz.machine
    record = current_record(fuzz)
    if fuzz.check_oracles:
        check_call(fuzz, record, ending)
    finish_transaction(machine, ending)
    succeeded = ending == status.STOP or ending == status.RETURN
    fuzz.succeeded = succeeded
    count_call(fuzz, machine, record, succeeded)
    if machine.new_coverage != fuzz.coverage_before:
        fuzz.last_new = fuzz.sequence_index
    if fuzz.comparing & phases.LOG_SOME != 0:
        if succeeded:
            note_writer(fuzz, record)
        look_at_branches(fuzz, machine)
        harvest_comparisons(fuzz, record)
        if succeeded:
            harvest_results(fuzz)
    fuzz.phase = phases.PHASE_NEXT_CALL
    if not succeeded:
        machine.dirty = fuzz.dirty_before
        if fuzz.asks_after and fuzz.check_oracles and is_last_call(fuzz) and not calls_alone(fuzz):
            start_properties(fuzz, machine, LAST)
    elif fuzz.check_oracles and fuzz.property_count > 0 and not calls_alone(fuzz):
        start_properties(fuzz, machine, machine.dirty)


@kernel
def property_due(fuzz: Fuzz, oracle: OracleRecord) -> bool:
    """Return whether a property can have another outcome than when it was last called: something that it read has
    changed.

    Its last call may be the one in the deployed state, to which the sequence began with going back.
    """
    if not oracle.open or oracle.failed_at >= 0:
        return False
    if oracle.check == FOUNDRY_AFTER:
        return is_last_call(fuzz)
    if fuzz.sequence_index < 0:
        return not oracle.known
    if is_past_depth(fuzz, oracle):
        return False
    if fuzz.changed & oracle.due_when == 0:
        return False
    if not fuzz.one_sequence:
        oracle.changes += 1
    return not outcome_is_known(fuzz, fuzz.machine, oracle)


@kernel
def next_property(fuzz: Fuzz) -> None:
    """Set up the next property call that is due, or continue to the next transaction."""
    index = fuzz.oracle_index + 1
    count = fuzz.property_count
    while index < count and not property_due(fuzz, fuzz.oracles[index]):
        index += 1
    machine = fuzz.machine
    if index >= count:
        machine.comparisons_on = fuzz.comparing != 0
        fuzz.phase = phases.PHASE_NEXT_CALL
        return
    oracle = fuzz.oracles[index]
    fuzz.oracle_index = index
    fuzz.property_calldata[0] = oracle.selector
    machine.tx_sender = fuzz.property_sender
    machine.tx_to = find_account(machine, oracle.target)
    machine.tx_value = word(0)
    machine.tx_data = pointer(fuzz.property_calldata)
    machine.tx_data_size = 4
    machine.tx_gas = fuzz.property_gas
    machine.reader = oracle.reader
    machine.read_count = 0
    machine.comparisons_count = 0
    fuzz.property_coverage = machine.new_coverage
    fuzz.phase = phases.PHASE_BEGIN_PROPERTY


@kernel
def look_for_waypoint(fuzz: Fuzz, machine: Context) -> None:
    """A property call of a sequence has ended, and did not fail: whether others should start from here."""
    if machine.comparisons_on:
        look_at_property(fuzz, machine)
        harvest_comparisons(fuzz, current_record(fuzz))
    if machine.new_coverage != fuzz.property_coverage:
        note_near(fuzz, NEAR_COVERAGE, fuzz.oracle_index)


@kernel
def end_property(fuzz: Fuzz, ending: int) -> None:
    """Judge a property call, learn what it depends on, and undo what it did. Before the first call of a sequence there
    is nothing to judge."""
    machine = fuzz.machine
    oracle = fuzz.oracles[fuzz.oracle_index]
    finish_transaction(machine, ending)
    if fuzz.sequence_index < 0:
        oracle.known = True
    else:
        check_property(fuzz, oracle, ending)
        if oracle.failed_at < 0:
            look_for_waypoint(fuzz, machine)
    if oracle.most_reads < machine.read_count:
        oracle.most_reads = machine.read_count
    if machine.dirty & oracle.reader != 0:
        oracle.changes += 1
    due_when = oracle.due_when | machine.volatile_read
    oracle.due_when = due_when
    rollback(machine, fuzz.property_mark)
    machine.dirty = 0
    machine.reader = 0
    if fuzz.sequence_index >= 0 and oracle.failed_at < 0:
        remember_outcome(fuzz, machine, oracle)
    fuzz.phase = phases.PHASE_NEXT_PROPERTY


@kernel
def end_sequence(fuzz: Fuzz) -> int:
    """Return to the deployed state. Answers what Python has to hear, 0 for nothing."""
    machine = fuzz.machine
    rollback(machine, fuzz.base_mark)
    machine.timestamp = fuzz.base_timestamp
    machine.number = fuzz.base_number
    machine.comparisons_on = False
    fuzz.phase = phases.PHASE_NEXT_SEQUENCE
    if fuzz.one_sequence:
        return phases.RETURN_SEQUENCE
    if fuzz.last_new >= 0 or fuzz.failures > 0 or fuzz.near_kind != NEAR_NOTHING:
        return phases.RETURN_FOUND
    return 0


@kernel
def limit_reached(fuzz: Fuzz) -> bool:
    if fuzz.calls >= fuzz.call_limit:
        return True
    return fuzz.sequences >= fuzz.sequence_limit


@kernel
def is_pause_due(fuzz: Fuzz, phase: int) -> bool:
    """Between two calls: whether it is time to let Python look around, however heavy the calls are."""
    if phase != phases.PHASE_NEXT_CALL and phase != phases.PHASE_NEXT_PROPERTY:
        return False
    if fuzz.gas_since_pause < phases.PAUSE_GAS:
        return False
    fuzz.gas_since_pause = 0
    return True


@kernel
def end_run(fuzz: Fuzz, machine: Context, phase: int, ending: int) -> None:
    """A call or a property call has ended."""
    used = machine.tx_gas - machine.gas
    fuzz.gas_since_pause += used
    if phase == phases.PHASE_RUN_CALL:
        end_call(fuzz, ending)
        return
    end_property(fuzz, ending)


@kernel
def run_fuzz(fuzz: Fuzz) -> int:
    """Run until there is something for Python; answers one of the RETURN_ codes of `phases`."""
    machine = fuzz.machine
    while True:
        phase = fuzz.phase
        if phase == phases.PHASE_BEGIN_CALL or phase == phases.PHASE_BEGIN_PROPERTY:
            if begin_transaction(machine) == status.EXIT:
                return phases.RETURN_EXIT
            fuzz.phase = phase + 1
        elif phase == phases.PHASE_RUN_CALL or phase == phases.PHASE_RUN_PROPERTY:
            ending = run(machine)
            if ending == status.EXIT:
                return phases.RETURN_EXIT
            end_run(fuzz, machine, phase, ending)
        elif is_pause_due(fuzz, phase):
            return phases.RETURN_PAUSE
        elif phase == phases.PHASE_NEXT_CALL:
            next_call(fuzz)
        elif phase == phases.PHASE_NEXT_PROPERTY:
            next_property(fuzz)
        elif phase == phases.PHASE_NEXT_SEQUENCE:
            if not fuzz.one_sequence and limit_reached(fuzz):
                return phases.RETURN_LIMIT
            start_sequence(fuzz)
        else:
            found = end_sequence(fuzz)
            if found != 0:
                return found
