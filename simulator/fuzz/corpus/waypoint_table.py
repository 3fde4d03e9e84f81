"""Waypoints as the native builders see them: the sequences of this worker that came nearer to something last."""

from __future__ import annotations

from collections import deque

from simulator.evm.host_memory import view
from simulator.evm.kernel.records import Records, References
from simulator.fuzz.arena import ArenaMemory, MemoryBlock
from simulator.fuzz.corpus.native_corpus import RecordWriter, write_table
from simulator.fuzz.native.layout.corpus_record import CorpusRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.records import Template
from simulator.transaction import Sequence

SHOWN = 16
MAX_WAYPOINTS = 2048
"""In a campaign. Hints and current sequences name their records, so these stay."""


class WaypointTable:
    """The last `SHOWN` waypoints, of which sequences are built."""

    def __init__(self, writer: RecordWriter, memory: ArenaMemory) -> None:
        self._writer = writer
        self._memory = memory
        self._table = MemoryBlock(SHOWN * CorpusRecord.SIZE)
        self.records = view(Records[CorpusRecord], self._table.address)
        self._kept: list[tuple[MemoryBlock, list[Template]]] = []
        self._shown: deque[tuple[MemoryBlock, int]] = deque(maxlen=SHOWN)

    @property
    def count(self) -> int:
        """Waypoints in the table."""
        return len(self._shown)

    @property
    def is_full(self) -> bool:
        """Return whether the campaign has had as many as it may."""
        return len(self._kept) >= MAX_WAYPOINTS

    def add(self, sequence: Sequence) -> None:
        """Build on a sequence of at least one transaction; the oldest shown makes room. Left out when full."""
        if self.is_full:
            return
        templates: list[Template] = []
        records = [self._writer.pack(transaction, templates) for transaction in sequence]
        arena = self._memory.arena(8 * len(records) + sum(map(len, records)))
        write_table(arena, records)
        self._kept.append((arena, templates))
        self._shown.append((arena, len(records)))
        for index, (shown, count) in enumerate(self._shown):
            record = self.records[index]
            record.sequence = view(References[TransactionRecord], shown.address)
            record.count = count
