"""The fuzz context and the tables that native code finds through it."""

from __future__ import annotations

from simulator.evm.machine import Machine
from simulator.fuzz.arena import WORD_BYTES, Arena, Memory, words
from simulator.fuzz.call_templates import FunctionTable
from simulator.fuzz.dictionary import Dictionary
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native_corpus import NativeCorpus
from simulator.fuzz.oracle_table import OracleTable
from simulator.settings import CampaignSettings
from simulator.transaction import address_int

SCRATCH_SIZE = 8 << 20
MAX_ADDRESSES = 1024
MAX_DELAY = 1 << 60
BUILDER_WEIGHTS = (40, 10, 10, 10, 30)
"""Append, prepend, splice, interleave, edit: shares of sequences built from the corpus, scaled by `mutConsts`."""


class FuzzContext:
    """Owns the context's memory and the tables of senders, words and choices. The state of `machine` at construction
    is what each sequence starts from. What tells the sequence in hand is in `memory`: the context, its table, and
    records that it builds."""

    def __init__(
        self,
        machine: Machine,
        settings: CampaignSettings,
        dictionary: Dictionary,
        random_state: int,
        memory: Memory,
    ) -> None:
        self._memory = memory.arena(fuzz.SIZE)
        self._kept: list[Arena] = []
        self._pools: list[Arena] = []
        self._known_addresses: set[int] = set()
        self._scratch = memory.arena(SCRATCH_SIZE)
        self._built = memory.arena(8 * max(settings.sequence_length, 1))
        self._choices = Arena(4 * fuzz.CHOICES)
        self._preferred = Arena(4 * fuzz.CHOICES)
        self._addresses = Arena(WORD_BYTES * MAX_ADDRESSES)
        self.volatile = Arena(WORD_BYTES * fuzz.VOLATILE_SIZE)
        self.set(fuzz.RANDOM, random_state)
        self._connect_machine(machine)
        self._write_arenas()
        self._write_senders(settings)
        self.write_dictionary(dictionary)
        self._write_limits(settings)

    @property
    def address(self) -> int:
        return self._memory.address

    @property
    def built(self) -> int:
        """Address of the table that built sequences stand in."""
        return self._built.address

    def get(self, field: int) -> int:
        return self._memory.get_int(field)

    def set(self, field: int, value: int) -> None:
        self._memory.set_int(field, value)

    def connect(self, functions: FunctionTable, corpus: NativeCorpus, oracles: OracleTable) -> None:
        """Let native code find these tables; their owners must outlive the context."""
        self.set(fuzz.FUNCTIONS, functions.address)
        self.set(fuzz.CORPUS, corpus.address)
        self.set(fuzz.ORACLES, oracles.address)
        self.set(fuzz.ORACLE_COUNT, oracles.count)
        self.set(fuzz.PROPERTY_COUNT, oracles.property_count)
        self.set(fuzz.FIRST_GLOBAL, oracles.first_global)

    def choose_from(self, weights: list[float]) -> None:
        """Draw functions by these weights, one per index. Raises ValueError when none is positive."""
        self.set(fuzz.FUNCTION_COUNT, len(weights))
        self._choices.write(0, _indexes(choice_table(weights, fuzz.CHOICES)))

    def prefer(self, weights: list[float], chance: int) -> None:
        """Draw this many of 1024 calls by these weights instead. Raises ValueError when there is a chance and no
        positive weight."""
        if chance:
            self._preferred.write(0, _indexes(choice_table(weights, fuzz.CHOICES)))
        self.set(fuzz.FOCUS_CHANCE, chance)

    def add_address(self, address: int) -> None:
        """Another address to use as an argument; past the table's capacity it is left out."""
        count = self.get(fuzz.ADDRESS_COUNT)
        if count < MAX_ADDRESSES and address not in self._known_addresses:
            self._known_addresses.add(address)
            self._addresses.set_word(WORD_BYTES * count, address)
            self.set(fuzz.ADDRESS_COUNT, count + 1)

    def _connect_machine(self, machine: Machine) -> None:
        self.set(fuzz.MACHINE, machine.context_address)
        self.set(fuzz.BASE_MARK, machine.mark())
        self._memory.set_word(fuzz.BASE_TIMESTAMP, machine.timestamp)
        self._memory.set_word(fuzz.BASE_NUMBER, machine.number)

    def _write_arenas(self) -> None:
        self.set(fuzz.SCRATCH, self._scratch.address)
        self.set(fuzz.SCRATCH_NEXT, self._scratch.address)
        self.set(fuzz.SCRATCH_END, self._scratch.address + SCRATCH_SIZE)
        self.set(fuzz.VOLATILE, self.volatile.address)
        self.set(fuzz.ADDRESSES, self._addresses.address)
        self.set(fuzz.STRANGERS, self._table(bytes(WORD_BYTES * fuzz.STRANGER_COUNT)))
        self.set(fuzz.FUNCTION_CHOICE, self._choices.address)
        self.set(fuzz.FOCUS_CHOICE, self._preferred.address)
        self.set(fuzz.PROPERTY_CALLDATA, self._table(bytes(WORD_BYTES)))

    def write_dictionary(self, dictionary: Dictionary) -> None:
        """Use the words of this dictionary, and its addresses beside those that are known already."""
        self._pools = [Arena(max(WORD_BYTES, WORD_BYTES * len(pool))) for pool in _words_of(dictionary)]
        fields = ((fuzz.NUMBERS, fuzz.NUMBER_COUNT), (fuzz.FIXED_BYTES, fuzz.FIXED_BYTES_COUNT))
        for arena, values, (table, count) in zip(self._pools, _words_of(dictionary), fields, strict=True):
            arena.write(0, words(list(values)))
            self.set(table, arena.address)
            self.set(count, len(values))
        for address in dictionary.addresses:
            self.add_address(address)

    def _write_senders(self, settings: CampaignSettings) -> None:
        senders = [address_int(sender) for sender in settings.senders]
        self.set(fuzz.SENDERS, self._table(words(senders)))
        self.set(fuzz.SENDER_COUNT, len(senders))

    def _write_limits(self, settings: CampaignSettings) -> None:
        self.set(fuzz.SEQUENCE_LENGTH, settings.sequence_length)
        self.set(fuzz.MAX_SECONDS, min(settings.max_time_delay, MAX_DELAY))
        self.set(fuzz.MAX_BLOCKS, min(settings.max_block_delay, MAX_DELAY))
        self.set(fuzz.DICTIONARY_CHANCE, round(1024 * settings.dictionary_frequency))
        self.set(fuzz.TRANSACTION_GAS, settings.transaction_gas)
        self.set(fuzz.PROPERTY_GAS, settings.property_gas)
        self._memory.set_word(fuzz.MAX_VALUE, int.from_bytes(settings.max_value, "big"))
        self._memory.set_word(fuzz.PROPERTY_SENDER, address_int(settings.property_sender))
        self._write_builder_weights(settings.mutation_weights)

    def _write_builder_weights(self, constants: tuple[int, int, int, int]) -> None:
        append, prepend, splice, interleave, edit = BUILDER_WEIGHTS
        weights = (append, prepend, splice * constants[3], interleave * constants[3], edit * constants[2])
        fields = (
            fuzz.WEIGHT_APPEND,
            fuzz.WEIGHT_PREPEND,
            fuzz.WEIGHT_SPLICE,
            fuzz.WEIGHT_INTERLEAVE,
            fuzz.WEIGHT_EDIT,
        )
        total = 0
        for field, weight in zip(fields, weights, strict=True):
            total += max(0, weight)
            self.set(field, total)
        self.set(fuzz.WEIGHT_TOTAL, total)

    def _table(self, data: bytes) -> int:
        arena = Arena(max(WORD_BYTES, len(data)))
        arena.write(0, data)
        self._kept.append(arena)
        return arena.address


def _words_of(dictionary: Dictionary) -> tuple[dict[int, None], dict[int, None]]:
    return dictionary.numbers, dictionary.fixed_bytes


def _indexes(table: list[int]) -> bytes:
    return b"".join(index.to_bytes(4, "little") for index in table)


def choice_table(weights: list[float], size: int) -> list[int]:
    """Indexes so often as their weight asks, each at least once while there is room; drawn from uniformly.

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
