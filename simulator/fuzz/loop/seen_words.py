"""Words seen during execution: a table of a fixed size, by their hashes, that the native loop fills and draws from."""

from __future__ import annotations

from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel.plain.words import Word, hash_word
from simulator.evm.kernel.records import Cell, Records
from simulator.fuzz.arena import WORD_BYTES, MemoryBlock
from simulator.fuzz.native.layout.context import VOLATILE_SIZE


class SeenWords:
    """The table. A word replaces the one that stood in its place."""

    def __init__(self, table: MemoryBlock) -> None:
        self._table = table
        self._cells = view(Records[Cell], table.address)

    def add(self, new: list[int]) -> None:
        """Put words among those seen."""
        for value in new:
            place = hash_word(Word(value), 0) & (VOLATILE_SIZE - 1)
            self._cells[place].word = as_word(value)

    def read(self) -> list[int]:
        """The words that have not been replaced by others."""
        table = self._table.read(0, WORD_BYTES * VOLATILE_SIZE)
        words = (int.from_bytes(table[at : at + WORD_BYTES], "little") for at in range(0, len(table), WORD_BYTES))
        return [word for word in words if word]
