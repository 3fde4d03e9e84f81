"""The fuzz context: all state of one fuzz loop, or the addresses of it."""

from __future__ import annotations

from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.records import (
    Bytes,
    Cell,
    Flag,
    Inline,
    Int32s,
    Int64,
    Int64s,
    Record,
    Records,
    References,
    To,
    Word256,
    Words,
)
from simulator.fuzz.native.layout.corpus_record import CorpusRecord
from simulator.fuzz.native.layout.function_record import FunctionRecord
from simulator.fuzz.native.layout.oracle_record import OracleRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord


class Fuzz(Record):
    machine = To(Context)
    random = Int64()  # state of the random generator, never 0
    phase = Int64()  # see Phase
    calls = Int64()  # transactions of built sequences
    call_limit = Int64()  # stop before the next sequence once calls has reached it
    sequences = Int64()
    sequence_limit = Int64()  # stop before the next sequence once sequences has reached it
    reverted = Int64()
    gas = Int64()
    one_sequence = Flag()  # execute the given sequence and stop, instead of building sequences
    sequence = To(References[TransactionRecord])  # the current sequence
    sequence_count = Int64()
    sequence_index = Int64()
    sequence_length = Int64()  # calls of a built sequence
    scratch = Int64()  # arena for transaction records of the current sequence
    scratch_next = Int64()
    scratch_end = Int64()
    functions = To(Records[FunctionRecord])
    function_count = Int64()
    function_choice = To(Int32s)  # choice_count indexes into functions, drawn uniformly
    senders = To(Words)
    sender_count = Int64()
    numbers = To(Records[Cell])
    number_count = Int64()
    fixed_bytes = To(Words)  # left-aligned
    fixed_bytes_count = Int64()
    addresses = To(Words)
    address_count = Int64()
    volatile = To(Records[Cell])  # VOLATILE_SIZE words seen during execution, by their hash; 0 is a free place
    strangers = To(Records[Cell])  # STRANGER_COUNT addresses that the campaign does not know; 0 is a free place
    corpus = To(Records[CorpusRecord])
    corpus_count = Int64()
    oracles = To(Records[OracleRecord])
    oracle_count = Int64()
    oracle_index = Int64()
    base_mark = Int64()  # journal position of the deployed state
    property_mark = Int64()
    coverage_before = Int64()
    succeeded = Flag()  # how the last call ended
    last_new = Int64()  # index of the last call of the sequence that brought coverage, -1 when none did
    failures = Int64()  # failures in the current sequence
    max_seconds = Int64()
    max_blocks = Int64()
    dictionary_chance = Int64()  # of 1024
    builder_shares = To(Int64s)  # cumulative shares of the sequence builders, see builders.py
    weight_arguments = Int64()  # of sequences whose arguments are changed, beside 2 for those that are left alone
    check_oracles = Flag()  # instead of only executing
    log_comparisons = Int64()  # see phases.py
    transaction_gas = Int64()
    property_gas = Int64()
    property_calldata = To(Int32s)  # 4-byte buffer that a property's selector is written to
    dirty_before = Int64()  # machine.dirty when the current call began
    before_failed = Flag()  # a call before the test of the current sequence has failed
    stop_at_failure = Flag()  # leave the sequence at the first failure (shrinking)
    max_value = Word256()  # wei
    property_sender = Word256()
    test_sender = Word256()  # of functions that are sequences of their own
    panic_codes = Word256()  # bit n: Panic(n) fails an assertion
    base_timestamp = Word256()
    base_number = Word256()
    work_word = Inline(Cell)  # scratch of the generators
    property_count = Int64()  # oracles 0..property_count-1 are property calls
    first_global = Int64()  # oracles from here on look at every call
    changed = Int64()  # machine.dirty when the properties began to be checked
    accounts_stand = Flag()  # nonces, codes and storages are those of the deployed state, and nothing is faked
    always_check = Flag()  # check every property after every call, as if all it reads had changed
    comparing = Int64()  # as log_comparisons, decided for the current sequence
    gas_since_pause = Int64()  # of calls and properties
    focus_chance = Int64()  # of 1024: calls drawn from focus_choice; 0 when no function is prioritized
    focus_choice = To(Int32s)  # choice_count indexes of prioritized functions
    template_chance = Int64()  # of 1024: sequences built around a template
    sequence_templates = To(References[CorpusRecord])  # TEMPLATE_CHOICES
    choice_count = Int64()
    has_clamps = Flag()  # some functions are bound to values or senders
    has_alone = Flag()  # some functions are sequences of their own
    asks_after = Flag()  # some oracle is asked at the end of a sequence, also when the last call reverts
    is_foundry = Flag()  # calls of handlers fail invariants as in forge
    rejects = Int64()  # calls between invariants that an assumption rejected
    failed_owner = Int64()  # storage id of the cheatcode address
    failed_key = Word256()  # its slot that old assertions write to
    property_coverage = Int64()  # machine.new_coverage when the current property call began
    near_kind = Int64()  # NEAR_: what makes the current sequence a waypoint, see nearness.py,
    near_at = Int64()  # after which call,
    near_oracle = Int64()  # position of the property, -1 for none,
    near_code = Int64()  # and the place of the comparison, NEAR_BRANCH
    near_pc = Int64()
    open_blocks = To(Bytes)  # OPEN_SIZE flags, by code and program counter: in a block whose branch has an open side
    nearest = To(Int64s)  # NEAREST_SIZE classes of distances, by place
    waypoints = To(Records[CorpusRecord])
    waypoint_count = Int64()
    writers = Int64()  # a ring of WRITER_COUNT transaction records, WRITER_SIZE bytes each
    writer_next = Int64()  # number of the next one
    log_from = Int64()  # comparisons of calls behind this index stand in the log together


TEMPLATE_CHOICES = 256
VOLATILE_SIZE = 1024
STRANGER_COUNT = 64
NEAREST_SIZE = 4096
OPEN_SIZE = 1 << 16
OPEN_SPREAD = 40503  # between the places of two codes
WRITER_COUNT = 64
WRITER_SIZE = 1024

NEAR_NOTHING = 0
NEAR_COVERAGE = 1  # a property reached new code
NEAR_PROPERTY = 2  # a comparison of a property came closer
NEAR_BRANCH = 3  # a comparison before a branch of which one side was never taken came closer
