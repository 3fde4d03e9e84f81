"""One worker's fuzz loop from Python's side: sets it up, runs it in batches, executes single sequences.

The native loop leaves with a reason; this module serves the EVM's exits and hands everything else to its caller.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from simulator.errors import CallStoppedError, ChainUnavailableError
from simulator.evm.host_memory import view
from simulator.evm.kernel.calls import calls
from simulator.evm.kernel.layout.context import KEPT_DIGESTS
from simulator.evm.kernel.records import References, pointer
from simulator.evm.machine import Machine
from simulator.fuzz.arena import ArenaMemory, MemoryBlock
from simulator.fuzz.checking.oracle_table import OracleTable, SiteKeys
from simulator.fuzz.checking.oracles import Check, Oracle
from simulator.fuzz.corpus.native_corpus import Features, NativeCorpus, RecordWriter, write_table
from simulator.fuzz.corpus.waypoint_table import WaypointTable
from simulator.fuzz.generation.call_templates import FunctionTable
from simulator.fuzz.generation.dictionary import Dictionary
from simulator.fuzz.generation.value_source import ValueSource
from simulator.fuzz.loop.clamps import ClampTable, FunctionClamp
from simulator.fuzz.loop.comparisons import Comparison, ComparisonLog
from simulator.fuzz.loop.function_choice import FunctionChoice
from simulator.fuzz.loop.fuzz_context import FuzzContext
from simulator.fuzz.loop.near import Near, NearKind
from simulator.fuzz.loop.property_calls import PropertyCalls
from simulator.fuzz.loop.recent_writers import RecentWriters
from simulator.fuzz.loop.seen_words import SeenWords
from simulator.fuzz.loop.sequence_templates import SequenceTemplates, StepSequence
from simulator.fuzz.loop.target_links import link_assertions, put_before
from simulator.fuzz.native import phases
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.records import unpack_transaction
from simulator.fuzz.targets.target import TargetFunction, state_changing
from simulator.modes.foundry import FOUNDRY
from simulator.settings import PRIORITY_SHARE, CampaignSettings
from simulator.transaction import Sequence, Transaction, address_int

MAX_SEQUENCE = 1 << 14
GIVEN_SIZE = 1 << 20
_RESUMED = (phases.RETURN_EXIT, phases.RETURN_PAUSE)
MAX_PACKED = 1024
RENEW_EVERY = 512
"""Sequences between two renewals of the templates of functions with dynamic arguments."""

LOGGING = phases.LOG_SOME
"""Which comparisons of built sequences are logged."""


@dataclass(frozen=True)
class ExecutedSequence:
    """Result of one sequence: index of the last call with new coverage (-1: none), and per failed oracle the index of
    the call after which it failed, and the keys of the failure's site. `near` says why others should start from it,
    `succeeded` how the last call ended."""

    last_new: int
    failures: dict[int, int]
    keys: dict[int, SiteKeys] = field(default_factory=dict)
    near: Near | None = None
    succeeded: bool = True


class FuzzEngine:
    """Owns the fuzz context and every table that native code reads.

    `is_interrupted` is asked about every tenth of a second of execution; once it is true, the current sequence is left.
    So it is, in the middle of a call, where the machine's `is_stopped` says so; that call counts for nothing.
    A sequence that needs state of a forked chain which cannot be had is left too; `on_unavailable` hears why.

    `machine` holds the deployed target; its state when the engine is made is what each sequence starts from. Whatever
    is executed stands in `memory`, as far as that has room.
    """

    def __init__(
        self,
        machine: Machine,
        settings: CampaignSettings,
        functions: list[TargetFunction],
        oracles: list[Oracle],
        dictionary: Dictionary,
        seed: int,
        memory: ArenaMemory | None = None,
        hidden: tuple[Oracle, ...] = (),
    ) -> None:
        machine.seal()
        memory = memory or ArenaMemory()
        self.machine = machine
        self._settings = settings
        self._dictionary = dictionary
        self._rng = random.Random(seed)
        self._targets = list(functions)
        self._values = ValueSource(dictionary, state_changing(self._targets))
        self.functions = FunctionTable(self._targets)
        self._writer = RecordWriter(self._targets, self.functions.records)
        self._packed = lru_cache(MAX_PACKED)(self._writer.pack_plain)  # variants have most calls in common
        self.corpus = NativeCorpus(self._writer, memory)
        self.waypoints = WaypointTable(self._writer, memory)
        self._given = memory.arena(GIVEN_SIZE)
        self.comparisons = ComparisonLog(machine)
        self.oracles = OracleTable(oracles, address_int(settings.contract_address), hidden)
        self.properties = PropertyCalls(oracles, self.oracles, settings)
        self._context = FuzzContext(machine, settings, dictionary, self._rng.getrandbits(63) | 1, memory)
        self._context.connect(self.functions, self.corpus, self.oracles)
        self._context.record.waypoints = self.waypoints.records
        self.recent_writers = RecentWriters(self._context.record)
        self.words = SeenWords(self._context.volatile)
        self.clamps = ClampTable(self.functions, self._writer.target)
        self._choice = FunctionChoice(self._context, self.functions, self._targets)
        self._templates = SequenceTemplates(self._context, self.functions, seed)
        self._next_renewal = 0
        self.given_calls = 0
        self.logging = LOGGING
        self._has_learned = False
        self._abandoned = False
        self.is_interrupted: Callable[[], bool] = lambda: False
        self.on_unavailable: Callable[[ChainUnavailableError], None] = lambda _: None
        link_assertions(functions, oracles, self.functions, self.oracles, address_int(settings.contract_address))
        self._context.record.has_alone = any(target.alone for target in functions)
        self._context.record.asks_after = any(oracle.check is Check.FOUNDRY_AFTER for oracle in hidden)
        self._before = frozenset(call for target in functions for call in target.before)
        self._kept = put_before(functions, self.functions, memory)
        if settings.test_mode == FOUNDRY.name:
            self._context.watch_failures(machine)

    # --- fuzzing -------------------------------------------------------------------------------------------

    def fuzz(self, call_limit: int) -> ExecutedSequence | None:
        """Run until the total of executed calls reaches `call_limit` (then None) or a sequence is worth looking at."""
        self._take_up_words()
        self._context.record.one_sequence = False
        self._context.record.check_oracles = True
        self._context.record.stop_at_failure = False
        self._context.record.log_comparisons = self.logging
        self._context.record.log_from = MAX_SEQUENCE
        self._context.record.call_limit = call_limit
        self._context.record.sequence = self._context.built
        while True:
            if self.machine.is_crowded:
                self.recycle()
            self._renew_templates()
            if self._run() != phases.RETURN_LIMIT:
                return self._executed()
            if self.calls >= call_limit or self._abandoned:
                return None

    def recycle(self) -> None:
        """Take the machine back to the deployed state, compacted. The only way while an engine uses the machine: what
        properties read is remembered by places in its storage map, which moves."""
        self.machine.recycle()
        self.oracles.forget_reads()

    def end_after_sequence(self) -> None:
        """For `is_interrupted`: let `fuzz` return at the end of the current sequence."""
        self._abandoned = True
        self._context.record.call_limit = 0

    def current_sequence(self, length: int) -> Sequence:
        """The first `length` transactions of the sequence that `fuzz` stopped at."""
        table = self._context.record.sequence
        return tuple(unpack_transaction(table[index]) for index in range(length))

    def whole_sequence(self) -> Sequence:
        """All transactions of the sequence that `fuzz` stopped at."""
        return self.current_sequence(self._context.record.sequence_count)

    def check_always(self, wanted: bool) -> None:
        """Return whether properties are called after every call that succeeds, also where nothing that they read has
        changed. What is found is the same; for tests and measurements."""
        self._context.record.always_check = wanted

    # --- executing given sequences -------------------------------------------------------------------------

    def execute(
        self, sequence: Sequence, *, check: bool, stop_at_failure: bool = False, measure_nearness: bool = False
    ) -> ExecutedSequence:
        """Execute a sequence from the initial state; `check` says whether the open oracles are checked."""
        self._context.record.check_oracles = check
        self._context.record.stop_at_failure = stop_at_failure
        self._context.record.log_comparisons = phases.LOG_ALL if measure_nearness else phases.LOG_NONE
        self._context.record.log_from = MAX_SEQUENCE
        return self._execute_given(sequence)

    def comparisons_of_last_call(self, sequence: Sequence) -> list[Comparison]:
        """Execute a sequence without checking oracles; the comparisons of its last call, in order of execution."""
        return self.observe(sequence, 1)[1]

    def observe(self, sequence: Sequence, calls: int) -> tuple[ExecutedSequence, list[Comparison]]:
        """Execute a sequence without checking oracles; the comparisons of its last `calls` calls, in order of
        execution."""
        self._context.record.check_oracles = False
        self._context.record.stop_at_failure = False
        self._context.record.log_comparisons = phases.LOG_AND_KEEP
        self._context.record.log_from = max(0, min(len(sequence), MAX_SEQUENCE) - calls)
        executed = self._execute_given(sequence)
        return executed, self.comparisons.read()

    @property
    def open_blocks(self) -> npt.NDArray[np.uint8]:
        """Flags by code and program counter, see `OpenBlocks`."""
        return self._context.open_blocks

    def digests_of(self, sequence: Sequence) -> list[int]:
        """Return the hashes made by the calls of a sequence, other than of two words, the last first and each once,
        as far as the machine keeps them."""
        context = self.machine.context
        before = context.digest_count
        self.execute(sequence, check=False)
        last = context.digest_count
        numbers = range(last - 1, max(before, last - KEPT_DIGESTS) - 1, -1)
        return list(dict.fromkeys(context.digests[number % KEPT_DIGESTS].digest for number in numbers))

    @property
    def dictionary(self) -> Dictionary:
        """The words that were known at the beginning, and what was learned."""
        return self._dictionary

    def _execute_given(self, sequence: Sequence) -> ExecutedSequence:
        records = [self._packed(transaction) for transaction in sequence[:MAX_SEQUENCE]]
        size = 8 * len(records) + sum(map(len, records))
        arena = self._given if size <= GIVEN_SIZE else MemoryBlock(size)
        write_table(arena, records)
        self.given_calls += len(records)
        self._context.record.one_sequence = True
        self._context.record.sequence = view(References[TransactionRecord], arena.address)
        self._context.record.sequence_count = len(records)
        self._run()
        return self._executed()

    def target_of(self, transaction: Transaction) -> TargetFunction | None:
        """The function that a transaction calls, None when the campaign does not know it."""
        return self._writer.target(transaction)

    # --- figures -------------------------------------------------------------------------------------------

    @property
    def context(self) -> Fuzz:
        """The fuzz context, which tells what the native loop executes."""
        return self._context.record

    @property
    def calls(self) -> int:
        """Transactions of random sequences; those of `execute` are not counted."""
        return self._context.record.calls

    @property
    def sequences(self) -> int:
        return self._context.record.sequences

    @property
    def reverted(self) -> int:
        return self._context.record.reverted

    @property
    def gas(self) -> int:
        return self._context.record.gas

    # --- knowledge from elsewhere --------------------------------------------------------------------------

    def add_to_corpus(self, sequence: Sequence, features: Features | None = None) -> None:
        """Build sequences from this one, the more often the rarer the `features` that it covers. Calls that belong
        before a test come by themselves, and are no calls between invariants."""
        sequence = tuple(call for call in sequence if call not in self._before)
        if not sequence:
            return
        self.corpus.add(sequence, features)
        self._context.record.corpus_count = self.corpus.count

    def add_waypoint(self, sequence: Sequence) -> None:
        """Build a share of the sequences from this one, while it is among the last such."""
        self.waypoints.add(sequence)
        self._context.record.waypoint_count = self.waypoints.count

    def add_targets(self, found: list[TargetFunction]) -> None:
        """Call these functions too; their indexes follow on. What exceeds the table's capacity is left out."""
        known = len(self._targets)
        for target in found[: self.functions.free]:
            self.functions.add(target)
            self._writer.add(target)
            self._targets.append(target)
        self._packed.cache_clear()
        self._values = ValueSource(self._dictionary, state_changing(self._targets))
        self.functions.renew_templates(self._rng, self._values)
        self._choice.add(self._targets[known:])
        self.clamps.add(self._targets[known:])
        self._context.record.has_clamps = bool(self.clamps)

    def focus(
        self,
        prioritized: tuple[str, ...],
        excluded: tuple[str, ...],
        factors: tuple[tuple[str, float], ...],
        chance: float = PRIORITY_SHARE,
    ) -> bool:
        """Change which functions are called how often; see `FunctionChoice.focus`."""
        return self._choice.focus(prioritized, excluded, factors, chance)

    def hold_clamps(self, clamps: tuple[FunctionClamp, ...]) -> None:
        """Bind arguments and senders of built sequences, instead of what bound them before. `clamps` of this engine
        does the same for given ones."""
        self.clamps.replace(clamps, self._targets)
        self._context.record.has_clamps = bool(self.clamps)

    def use_templates(self, templates: tuple[StepSequence, ...]) -> None:
        """Build a share of the sequences around these templates, instead of those before."""
        self._take_up_words()
        self._templates.replace(templates, self._values)

    def learn(self, more: Dictionary) -> None:
        """Take over the values of a dictionary."""
        self._dictionary.absorb(more)
        self._has_learned = True

    def _take_up_words(self) -> None:
        """Once for all that was learned since the last sequence: the tables are written whole."""
        if self._has_learned:
            self._has_learned = False
            self._values = ValueSource(self._dictionary, state_changing(self._targets))
            self._context.write_dictionary(self._dictionary)

    @property
    def can_fuzz(self) -> bool:
        """Return whether there is anything to build sequences from."""
        return any(target.weight > 0 for target in self._targets)

    @property
    def targets(self) -> list[TargetFunction]:
        """The functions that sequences call, by index."""
        return list(self._targets)

    def add_address(self, address: int) -> None:
        """Use an address as an argument from now on."""
        self._context.add_address(address)

    # --- inside --------------------------------------------------------------------------------------------

    def _run(self) -> int:
        machine = self.machine
        self._abandoned = False
        machine.context.tx_kind = calls.CALL
        machine.context.tx_mint = True
        machine.context.tracing = False
        machine.running = True
        try:
            while (reason := machine.kernel.entry(phases.FUZZ_COMMAND, pointer(self.context))) in _RESUMED:
                if reason == phases.RETURN_EXIT:
                    self._serve()
                elif self.is_interrupted():
                    self._abandon()
        finally:
            machine.running = False
        return reason

    def _serve(self) -> None:
        try:
            self.machine.host.serve()
        except CallStoppedError:
            self._abandon()
        except ChainUnavailableError as error:
            # What the sequence has done is rolled back at its end; nothing is judged by a call that did not end.
            self._context.record.phase = phases.PHASE_END_SEQUENCE
            self.on_unavailable(error)
            if self.is_interrupted():
                self._abandon()

    def _abandon(self) -> None:
        """Let the loop leave the current sequence before its next call, and begin no other."""
        self._abandoned = True
        self._context.record.phase = phases.PHASE_END_SEQUENCE
        self._context.record.call_limit = 0

    def _executed(self) -> ExecutedSequence:
        record = self._context.record
        near = self._near() if record.near_kind else None
        if not record.failures:
            return ExecutedSequence(record.last_new, {}, near=near, succeeded=record.succeeded)
        failures, keys = self.oracles.failures(), self.oracles.failure_keys()
        return ExecutedSequence(record.last_new, failures, keys, near, record.succeeded)

    def _near(self) -> Near:
        record = self._context.record
        kind = NearKind(record.near_kind)
        oracle = -1 if record.near_oracle < 0 else self.oracles.id_at(record.near_oracle)
        return Near(kind, record.near_at, oracle, (record.near_code, record.near_pc))

    def _renew_templates(self) -> None:
        if self.sequences >= self._next_renewal:
            self.functions.renew_templates(self._rng, self._values)
            self._templates.renew(self._values)
            self._next_renewal = self.sequences + RENEW_EVERY
            self._context.record.sequence_limit = self._next_renewal
