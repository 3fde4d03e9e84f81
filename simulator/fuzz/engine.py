"""One worker's fuzz loop from Python's side: sets it up, runs it in batches, executes single sequences.

The native loop leaves with a reason; this module serves the EVM's exits and hands everything else to its caller.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from simulator.evm.kernel import calls
from simulator.evm.kernel.layout import comparison
from simulator.evm.kernel.layout import context as evm
from simulator.evm.kernel.plain.words import Word, hash_word
from simulator.evm.machine import Machine
from simulator.fuzz.arena import WORD_BYTES, Arena, integers, read_memory, words
from simulator.fuzz.call_templates import FunctionTable, choice_table
from simulator.fuzz.dictionary import Dictionary
from simulator.fuzz.native import phases
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native_corpus import NativeCorpus, RecordWriter
from simulator.fuzz.oracle_table import OracleTable
from simulator.fuzz.oracles import Check, Oracle
from simulator.fuzz.records import unpack_transaction
from simulator.fuzz.target import TargetFunction
from simulator.fuzz.value_source import ValueSource
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence, Transaction, address_int

SCRATCH_SIZE = 8 << 20
MAX_SEQUENCE = 1 << 14
RENEW_EVERY = 4096
"""Sequences between two renewals of the templates of functions with dynamic arguments."""
MAX_DELAY = 1 << 60
BUILDER_WEIGHTS = (40, 10, 10, 10, 30)
"""Append, prepend, splice, interleave, edit: shares of sequences built from the corpus, scaled by `mutConsts`."""


@dataclass(frozen=True)
class Executed:
    """Result of one sequence: index of the last call with new coverage (-1: none), and per failed oracle the index of
    the call after which it failed."""

    last_new: int
    failures: dict[int, int]


@dataclass(frozen=True)
class Comparison:
    """Two operands that the EVM compared, and where: code id and program counter."""

    left: int
    right: int
    code: int
    program_counter: int


class FuzzEngine:
    """Owns the fuzz context and every table that native code reads.

    `machine` holds the deployed target; its state when the engine is made is what each sequence starts from.
    """

    def __init__(
        self,
        machine: Machine,
        settings: CampaignSettings,
        functions: list[TargetFunction],
        oracles: list[Oracle],
        dictionary: Dictionary,
        seed: int,
    ) -> None:
        self.machine = machine
        self._settings = settings
        self._dictionary = dictionary
        self._values = ValueSource(dictionary)
        self._rng = random.Random(seed)
        self._context = Arena(fuzz.SIZE)
        self.functions = FunctionTable(functions)
        self._writer = RecordWriter(functions, self.functions.record)
        self.corpus = NativeCorpus(self._writer)
        self.oracles = OracleTable(oracles, address_int(settings.contract_address))
        self._tables: list[Arena] = []
        self._next_renewal = 0
        self._link_assertions(functions, oracles)
        self._set_up(functions)

    # --- fuzzing -------------------------------------------------------------------------------------------

    def fuzz(self, call_limit: int) -> Executed | None:
        """Run until the total of executed calls reaches `call_limit` (then None) or a sequence is worth looking at."""
        self._set(fuzz.ONE_SEQUENCE, 0)
        self._set(fuzz.CHECK_ORACLES, 1)
        self._set(fuzz.STOP_AT_FAILURE, 0)
        self._set(fuzz.LOG_COMPARISONS, phases.LOG_SOME)
        self._set(fuzz.CALL_LIMIT, call_limit)
        self._set(fuzz.SEQUENCE, self._built.address)
        while True:
            self._renew_templates()
            if self._run() != phases.RETURN_LIMIT:
                return self._executed()
            if self.calls >= call_limit:
                return None

    def current_sequence(self, length: int) -> Sequence:
        """The first `length` transactions of the sequence that `fuzz` stopped at."""
        table = read_memory(self._get(fuzz.SEQUENCE), 8 * length)
        return tuple(
            unpack_transaction(int.from_bytes(table[8 * index : 8 * index + 8], "little")) for index in range(length)
        )

    # --- executing given sequences -------------------------------------------------------------------------

    def execute(self, sequence: Sequence, *, check: bool, stop_at_failure: bool = False) -> Executed:
        """Execute a sequence from the initial state; `check` says whether the open oracles are checked."""
        self._set(fuzz.CHECK_ORACLES, int(check))
        self._set(fuzz.STOP_AT_FAILURE, int(stop_at_failure))
        self._set(fuzz.LOG_COMPARISONS, 0)
        return self._execute_given(sequence)

    def comparisons_of_last_call(self, sequence: Sequence) -> list[Comparison]:
        """Execute a sequence without checking oracles; the comparisons of its last call, in order of execution."""
        self._set(fuzz.CHECK_ORACLES, 0)
        self._set(fuzz.STOP_AT_FAILURE, 0)
        self._set(fuzz.LOG_COMPARISONS, phases.LOG_AND_KEEP)
        self._execute_given(sequence)
        return self._read_comparisons()

    def _execute_given(self, sequence: Sequence) -> Executed:
        records = [self._writer.pack_plain(transaction) for transaction in sequence[:MAX_SEQUENCE]]
        arena = Arena(8 * len(records) + sum(map(len, records)))
        position, addresses = 8 * len(records), []
        for record in records:
            addresses.append(arena.write(position, record))
            position += len(record)
        arena.write(0, integers(addresses))
        self._set(fuzz.ONE_SEQUENCE, 1)
        self._set(fuzz.SEQUENCE, arena.address)
        self._set(fuzz.SEQUENCE_COUNT, len(records))
        self._run()
        return self._executed()

    def target_of(self, transaction: Transaction) -> TargetFunction | None:
        """The function that a transaction calls, None when the campaign does not know it."""
        return self._writer.target(transaction)

    # --- figures -------------------------------------------------------------------------------------------

    @property
    def calls(self) -> int:
        """Transactions of random sequences; those of `execute` are not counted."""
        return self._get(fuzz.CALLS)

    @property
    def sequences(self) -> int:
        return self._get(fuzz.SEQUENCES)

    @property
    def reverted(self) -> int:
        return self._get(fuzz.REVERTED)

    @property
    def gas(self) -> int:
        return self._get(fuzz.GAS)

    # --- knowledge from elsewhere --------------------------------------------------------------------------

    def add_to_corpus(self, sequence: Sequence) -> None:
        self.corpus.add(sequence)
        self._set(fuzz.CORPUS_COUNT, self.corpus.count)

    def add_words(self, new: list[int]) -> None:
        """Put words among those seen during execution."""
        for value in new:
            place = hash_word(Word(value), 0) & (fuzz.VOLATILE_SIZE - 1)
            self._volatile.set_word(WORD_BYTES * place, value)

    def seen_words(self) -> list[int]:
        """The words seen during execution that have not been replaced by others."""
        table = self._volatile.read(0, WORD_BYTES * fuzz.VOLATILE_SIZE)
        words_ = (int.from_bytes(table[at : at + WORD_BYTES], "little") for at in range(0, len(table), WORD_BYTES))
        return [word for word in words_ if word]

    # --- inside --------------------------------------------------------------------------------------------

    def _run(self) -> int:
        machine = self.machine
        machine.set(evm.TX_KIND, calls.CALL)
        machine.set(evm.TX_MINT, 1)
        machine.set(evm.TRACING, 0)
        machine.running = True
        try:
            while (reason := machine.kernel.entry(phases.FUZZ_COMMAND, self._context.address)) == phases.RETURN_EXIT:
                machine.host.serve()
        finally:
            machine.running = False
        return reason

    def _read_comparisons(self) -> list[Comparison]:
        count, mask, log = map(self.machine.get, (evm.COMPARISONS_COUNT, evm.COMPARISONS_MASK, evm.COMPARISONS))
        count = min(count, mask + 1)
        records = read_memory(log, count * comparison.SIZE)
        return [
            _comparison(records[start : start + comparison.SIZE]) for start in range(0, len(records), comparison.SIZE)
        ]

    def _executed(self) -> Executed:
        return Executed(self._get(fuzz.LAST_NEW), self.oracles.failures() if self._get(fuzz.FAILURES) else {})

    def _renew_templates(self) -> None:
        if self.sequences >= self._next_renewal:
            self.functions.renew_templates(self._rng, self._values)
            self._next_renewal = self.sequences + RENEW_EVERY
            self._set(fuzz.SEQUENCE_LIMIT, self._next_renewal)

    def _get(self, field: int) -> int:
        return self._context.get_int(field)

    def _set(self, field: int, value: int) -> None:
        self._context.set_int(field, value)

    def _table(self, data: bytes) -> int:
        arena = Arena(max(32, len(data)))
        arena.write(0, data)
        self._tables.append(arena)
        return arena.address

    def _link_assertions(self, functions: list[TargetFunction], oracles: list[Oracle]) -> None:
        main = address_int(self._settings.contract_address)
        by_selector = {o.function.selector: o for o in oracles if o.check is Check.FUNCTION_ASSERTS and o.function}
        for target in functions:
            oracle = by_selector.get(target.selector)
            if oracle is not None and target.deployed.address == main:
                self.functions.set_oracle(target.index, self.oracles.record(oracle.id))

    def _set_up(self, functions: list[TargetFunction]) -> None:
        self._scratch = Arena(SCRATCH_SIZE)
        self._built = Arena(8 * max(self._settings.sequence_length, 1))
        self._volatile = Arena(32 * fuzz.VOLATILE_SIZE)
        self._set_up_base()
        self._set_up_tables(functions)
        self._set_up_limits()

    def _set_up_base(self) -> None:
        self._set(fuzz.MACHINE, self.machine.context_address)
        self._set(fuzz.RANDOM, self._rng.getrandbits(63) | 1)
        self._set(fuzz.SCRATCH, self._scratch.address)
        self._set(fuzz.SCRATCH_NEXT, self._scratch.address)
        self._set(fuzz.SCRATCH_END, self._scratch.address + SCRATCH_SIZE)
        self._set(fuzz.VOLATILE, self._volatile.address)
        self._set(fuzz.PROPERTY_CALLDATA, self._table(bytes(32)))
        self._set(fuzz.BASE_MARK, self.machine.mark())
        self._context.set_word(fuzz.BASE_TIMESTAMP, self.machine.timestamp)
        self._context.set_word(fuzz.BASE_NUMBER, self.machine.number)

    def _set_up_tables(self, functions: list[TargetFunction]) -> None:
        dictionary, settings = self._dictionary, self._settings
        choices = choice_table([target.weight for target in functions], fuzz.CHOICES)
        self._set(fuzz.FUNCTIONS, self.functions.address)
        self._set(fuzz.FUNCTION_COUNT, len(functions))
        self._set(fuzz.FUNCTION_CHOICE, self._table(b"".join(index.to_bytes(4, "little") for index in choices)))
        pools = (
            (fuzz.SENDERS, fuzz.SENDER_COUNT, [address_int(sender) for sender in settings.senders]),
            (fuzz.NUMBERS, fuzz.NUMBER_COUNT, list(dictionary.numbers)),
            (fuzz.FIXED_BYTES, fuzz.FIXED_BYTES_COUNT, list(dictionary.fixed_bytes)),
            (fuzz.ADDRESSES, fuzz.ADDRESS_COUNT, list(dictionary.addresses)),
        )
        for table, count, values in pools:
            self._set(table, self._table(words(values)))
            self._set(count, len(values))
        self._set(fuzz.CORPUS, self.corpus.address)
        self._set(fuzz.ORACLES, self.oracles.address)
        self._set(fuzz.ORACLE_COUNT, self.oracles.count)
        self._set(fuzz.PROPERTY_COUNT, self.oracles.property_count)
        self._set(fuzz.FIRST_GLOBAL, self.oracles.first_global)

    def _set_up_limits(self) -> None:
        settings = self._settings
        self._set(fuzz.SEQUENCE_LENGTH, settings.sequence_length)
        self._set(fuzz.MAX_SECONDS, min(settings.max_time_delay, MAX_DELAY))
        self._set(fuzz.MAX_BLOCKS, min(settings.max_block_delay, MAX_DELAY))
        self._set(fuzz.DICTIONARY_CHANCE, round(1024 * settings.dictionary_frequency))
        self._set(fuzz.TRANSACTION_GAS, settings.transaction_gas)
        self._set(fuzz.PROPERTY_GAS, settings.property_gas)
        self._context.set_word(fuzz.MAX_VALUE, int.from_bytes(settings.max_value, "big"))
        self._context.set_word(fuzz.PROPERTY_SENDER, address_int(settings.property_sender))
        self._set_builder_weights(settings.mutation_weights)

    def _set_builder_weights(self, constants: tuple[int, int, int, int]) -> None:
        append, prepend, splice, interleave, edit = BUILDER_WEIGHTS
        weights = (append, prepend, splice * constants[3], interleave * constants[3], edit * constants[2])
        total = 0
        fields = (
            fuzz.WEIGHT_APPEND,
            fuzz.WEIGHT_PREPEND,
            fuzz.WEIGHT_SPLICE,
            fuzz.WEIGHT_INTERLEAVE,
            fuzz.WEIGHT_EDIT,
        )
        for field, weight in zip(fields, weights, strict=True):
            total += max(0, weight)
            self._set(field, total)
        self._set(fuzz.WEIGHT_TOTAL, total)


def _comparison(record: bytes) -> Comparison:
    def number(offset: int, size: int) -> int:
        return int.from_bytes(record[offset : offset + size], "little")

    return Comparison(
        left=number(comparison.LEFT, WORD_BYTES),
        right=number(comparison.RIGHT, WORD_BYTES),
        code=number(comparison.CODE_ID, 8),
        program_counter=number(comparison.PC, 8),
    )
