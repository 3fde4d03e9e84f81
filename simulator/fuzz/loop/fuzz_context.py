"""The fuzz context and the tables that native code finds through it."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from simulator.evm.addresses import CHEATCODE_ADDRESS, FAILED_SLOT
from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel.records import Bytes, Cell, Int32s, Int64s, Records, References, Words
from simulator.evm.machine import Machine
from simulator.fuzz.arena import WORD_BYTES, ArenaMemory, MemoryBlock, words
from simulator.fuzz.checking.oracle_table import OracleTable
from simulator.fuzz.corpus.native_corpus import NativeCorpus
from simulator.fuzz.generation.call_templates import FunctionTable
from simulator.fuzz.generation.dictionary import Dictionary
from simulator.fuzz.native.builders import builder_shares
from simulator.fuzz.native.layout.context import (
    NEAREST_SIZE,
    OPEN_SIZE,
    STRANGER_COUNT,
    VOLATILE_SIZE,
    WRITER_COUNT,
    WRITER_SIZE,
    Fuzz,
)
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.targets.target import MAX_BEFORE
from simulator.settings import CampaignSettings
from simulator.transaction import address_int

SCRATCH_SIZE = 8 << 20
MAX_ADDRESSES = 1024
MIN_CHOICES = 2048
_ROOM_FOR_WEIGHTS = 4
PANIC_ASSERT = 0x01
MAX_DELAY = 1 << 60
NARROW = (1 << 64) - 1


class FuzzContext:
    """Owns the context's memory and the tables of senders, words and choices. The state of `machine` at construction
    is what each sequence starts from. What tells the current sequence is in `memory`: the context, its table, and
    records that it builds."""

    def __init__(
        self,
        machine: Machine,
        settings: CampaignSettings,
        dictionary: Dictionary,
        random_state: int,
        memory: ArenaMemory,
    ) -> None:
        self._memory = memory.arena(Fuzz.SIZE)
        self.record = view(Fuzz, self._memory.address)
        self._kept: list[MemoryBlock] = []
        self._pools: list[MemoryBlock] = []
        self._known_addresses: set[int] = set()
        self._scratch = memory.arena(SCRATCH_SIZE)
        self._built = memory.arena(8 * (max(settings.sequence_length, 1) + MAX_BEFORE))
        self._choices = self._preferred = MemoryBlock(0)
        self._addresses = MemoryBlock(WORD_BYTES * MAX_ADDRESSES)
        self.volatile = MemoryBlock(WORD_BYTES * VOLATILE_SIZE)
        self.record.random = random_state
        self._connect_machine(machine)
        self._write_arenas()
        self._write_senders(settings)
        self.write_dictionary(dictionary)
        self._write_limits(settings)

    @property
    def built(self) -> References[TransactionRecord]:
        """The table that built sequences stand in."""
        return view(References[TransactionRecord], self._built.address)

    def connect(self, functions: FunctionTable, corpus: NativeCorpus, oracles: OracleTable) -> None:
        """Let native code find these tables; their owners must outlive the context."""
        self.record.functions = functions.records
        self.record.corpus = corpus.records
        self.record.oracles = oracles.records
        self.record.oracle_count = oracles.count
        self.record.property_count = oracles.property_count
        self.record.first_global = oracles.first_global

    def watch_failures(self, machine: Machine) -> None:
        """Judge calls as forge does, failures that are stored at the cheatcode address included."""
        account = machine.accounts.record(CHEATCODE_ADDRESS)
        self.record.is_foundry = True
        self.record.failed_owner = account.storage_id
        self.record.failed_key = as_word(FAILED_SLOT)

    def choose_from(self, weights: list[float]) -> None:
        """Draw functions by these weights, one per index; `prefer` must follow. Raises ValueError when none is
        positive."""
        self.record.function_count = len(weights)
        self._make_room_for_choices(len(weights))
        self._choices.write(0, _indexes(choice_table(weights, self.record.choice_count)))

    def prefer(self, weights: list[float], chance: int) -> None:
        """Draw this many of 1024 calls by these weights instead. Raises ValueError when there is a chance and no
        positive weight."""
        if chance:
            self._preferred.write(0, _indexes(choice_table(weights, self.record.choice_count)))
        self.record.focus_chance = chance

    def _make_room_for_choices(self, functions: int) -> None:
        count = max(MIN_CHOICES, _ROOM_FOR_WEIGHTS * functions if functions > MIN_CHOICES else 0)
        if count != self.record.choice_count:
            self._choices, self._preferred = MemoryBlock(4 * count), MemoryBlock(4 * count)
            self.record.choice_count = count
            self.record.function_choice = view(Int32s, self._choices.address)
            self.record.focus_choice = view(Int32s, self._preferred.address)

    def add_address(self, address: int) -> None:
        """Another address to use as an argument; past the table's capacity it is left out."""
        count = self.record.address_count
        if count < MAX_ADDRESSES and address not in self._known_addresses:
            self._known_addresses.add(address)
            self.record.addresses[count] = as_word(address)
            self.record.address_count = count + 1

    def _connect_machine(self, machine: Machine) -> None:
        self.record.machine = machine.context
        self.record.base_mark = machine.mark()
        self.record.base_timestamp = as_word(machine.timestamp)
        self.record.base_number = as_word(machine.number)

    def _write_arenas(self) -> None:
        self.record.scratch = self._scratch.address
        self.record.scratch_next = self._scratch.address
        self.record.scratch_end = self._scratch.address + SCRATCH_SIZE
        self.record.volatile = view(Records[Cell], self.volatile.address)
        self.record.addresses = view(Words, self._addresses.address)
        self.record.strangers = view(Records[Cell], self._table(bytes(WORD_BYTES * STRANGER_COUNT)))
        self.record.property_calldata = view(Int32s, self._table(bytes(WORD_BYTES)))
        self.record.nearest = view(Int64s, self._table(bytes(8 * NEAREST_SIZE)))
        self.open_blocks = np.zeros(OPEN_SIZE, np.uint8)
        self.record.open_blocks = view(Bytes, int(self.open_blocks.ctypes.data))
        self.record.writers = self._table(bytes(WRITER_COUNT * WRITER_SIZE))

    def write_dictionary(self, dictionary: Dictionary) -> None:
        """Use the words of this dictionary, and its addresses beside those that are known already."""
        pools = list(dictionary.numbers), with_wide_words(list(dictionary.fixed_bytes))
        self._pools = [MemoryBlock(max(WORD_BYTES, WORD_BYTES * len(pool))) for pool in pools]
        for arena, values in zip(self._pools, pools, strict=True):
            arena.write(0, words(values))
        numbers, fixed_bytes = self._pools
        self.record.numbers = view(Records[Cell], numbers.address)
        self.record.number_count = len(dictionary.numbers)
        self.record.fixed_bytes = view(Words, fixed_bytes.address)
        self.record.fixed_bytes_count = len(pools[1])
        for address in dictionary.addresses:
            self.add_address(address)

    def _write_senders(self, settings: CampaignSettings) -> None:
        senders = [address_int(sender) for sender in settings.senders]
        self.record.senders = view(Words, self._table(words(senders)))
        self.record.sender_count = len(senders)

    def _write_limits(self, settings: CampaignSettings) -> None:
        self.record.sequence_length = settings.sequence_length
        self.record.max_seconds = min(settings.max_time_delay, MAX_DELAY)
        self.record.max_blocks = min(settings.max_block_delay, MAX_DELAY)
        self.record.dictionary_chance = round(1024 * settings.dictionary_frequency)
        self.record.transaction_gas = settings.transaction_gas
        self.record.property_gas = settings.property_gas
        self.record.max_value = as_word(int.from_bytes(settings.max_value, "big"))
        self.record.property_sender = as_word(address_int(settings.property_sender))
        self.record.test_sender = as_word(address_int(settings.deployer))
        codes = settings.medusa.panic_codes if settings.test_mode == "medusa" else (PANIC_ASSERT,)
        self.record.panic_codes = as_word(sum(1 << code for code in set(codes)))
        self._write_mutation_weights(settings.mutation_weights)

    def _write_mutation_weights(self, constants: tuple[int, int, int, int]) -> None:
        """The third and the fourth constant scale builders, the first two together how often arguments change."""
        self.record.weight_arguments = constants[0] + constants[1]
        cumulative = accumulate(builder_shares(constants))
        table = b"".join(share.to_bytes(8, "little") for share in cumulative)
        self.record.builder_shares = view(Int64s, self._table(table))

    def _table(self, data: bytes) -> int:
        arena = MemoryBlock(max(WORD_BYTES, len(data)))
        arena.write(0, data)
        self._kept.append(arena)
        return arena.address


def with_wide_words(pool: list[int]) -> list[int]:
    """The words of a pool, those that fill all 32 bytes so often that they are about half: constants such as names of
    roles are few among the short ones of a code."""
    wide = [word for word in pool if word & NARROW and word >> (8 * WORD_BYTES - 64)]
    return pool + wide * ((len(pool) - len(wide)) // len(wide)) if wide else pool


def _indexes(table: list[int]) -> bytes:
    return b"".join(index.to_bytes(4, "little") for index in table)


def choice_table(weights: list[float], size: int) -> list[int]:
    """Repeat each index in proportion to its weight, at least once while there is room. Draw from it uniformly.

    Raises ValueError when no weight is positive.
    """
    total = sum(weight for weight in weights if weight > 0)
    if total <= 0:
        raise ValueError("no function has a positive weight")
    shares = [max(1, round(size * weight / total)) if weight > 0 else 0 for weight in weights]
    table = [index for index, share in enumerate(shares) for _ in range(share)]
    heaviest = max(range(len(weights)), key=lambda index: weights[index])
    if len(table) <= size:
        return table + [heaviest] * (size - len(table))
    return [table[position * len(table) // size] for position in range(size)]
