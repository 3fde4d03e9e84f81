"""The memory of a machine: all arenas but those of accounts and codes, and the tables that the kernel reads."""

from __future__ import annotations

from simulator.evm.arenas import Arena, BumpArena, write_bytes
from simulator.evm.forks import Fork
from simulator.evm.fusion import fusion_lengths, fusion_table, fusion_width
from simulator.evm.kernel import calls
from simulator.evm.kernel.keccak import CACHE_ENTRIES, CACHE_ENTRY_BYTES
from simulator.evm.kernel.layout import access, comparison, context, decode_entry, frame, helpers, journal_entry
from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.evm.kernel_loader import Kernel
from simulator.evm.opcodes import decode_table

# Reserved address space, not memory.
STACK_BYTES = (calls.DEPTH_LIMIT + 2) * 1024 * 32
MEMORY_BYTES = 512 << 20
JOURNAL_BYTES = 512 << 20
LOGS_BYTES = 64 << 20
CALLDATA_BYTES = 32 << 20
DESTROYED_ACCOUNTS = 1 << 14
COMPARISON_RECORDS = 1 << 12
BLOBHASHES = 64
ACCESS_RECORDS = 1 << 16
# What the end of a transaction may write without another look at the journal's limit.
JOURNAL_RESERVE = DESTROYED_ACCOUNTS * 3 * journal_entry.SIZE


class MachineMemory:
    """Reserves the arenas and fills the tables of one machine. `fields` tells the context where they are."""

    def __init__(self, kernel: Kernel, fork: Fork, memory_bytes: int) -> None:
        checked = not kernel.compiled
        self._stack = Arena(STACK_BYTES, checked=checked)
        self._memory = Arena(memory_bytes, checked=checked)
        self._returndata = Arena(memory_bytes, checked=checked)
        self._frames = Arena((calls.DEPTH_LIMIT + 2) * frame.SIZE, checked=checked)
        self._journal = Arena(JOURNAL_BYTES, checked=checked)
        self._logs = Arena(LOGS_BYTES, checked=checked)
        self._destroyed = Arena(DESTROYED_ACCOUNTS * 8, checked=checked)
        self._hash_cache = Arena(CACHE_ENTRIES * CACHE_ENTRY_BYTES, checked=checked)
        self._comparisons = Arena(COMPARISON_RECORDS * comparison.SIZE, checked=checked)
        self._decode_table = Arena(256 * decode_entry.SIZE, checked=checked)
        self.calldata = Arena(CALLDATA_BYTES, checked=checked)
        self._blobhashes = Arena(BLOBHASHES * 32, checked=checked)
        self._accesses = Arena(ACCESS_RECORDS * access.SIZE, checked=checked)
        self._helpers = Arena(helpers.SIZE, checked=checked)
        self._lengths, self._fusion, self._width = 0, 0, fusion_width(kernel.handlers)
        write_bytes(self._decode_table.address, decode_table(fork, kernel.handlers))
        self._write_fusion(kernel)
        self._fill_hash_cache()

    def fields(self) -> tuple[tuple[int, int], ...]:
        """(offset in the context, value) for every arena and table."""
        return (
            (context.STACK_START, self._stack.address),
            (context.MEMORY_START, self._memory.address),
            (context.MEMORY_END, self._memory.end),
            (context.RETURNDATA, self._returndata.address),
            (context.RETURNDATA_LIMIT, self._memory.size),
            (context.FRAMES, self._frames.address),
            (context.JOURNAL, self._journal.address),
            (context.JOURNAL_LIMIT, JOURNAL_BYTES - JOURNAL_RESERVE),
            (context.LOGS, self._logs.address),
            (context.LOGS_TOP, self._logs.address),
            (context.LOGS_END, self._logs.end),
            (context.DESTROYED, self._destroyed.address),
            (context.DESTROYED_LIMIT, DESTROYED_ACCOUNTS),
            (context.HASH_CACHE, self._hash_cache.address),
            (context.COMPARISONS, self._comparisons.address),
            (context.COMPARISONS_MASK, COMPARISON_RECORDS - 1),
            (context.DECODE_TABLE, self._decode_table.address),
            (context.BLOBHASHES, self._blobhashes.address),
            (context.ACCESSES, self._accesses.address),
            (context.ACCESSES_LIMIT, ACCESS_RECORDS),
            (context.HELPERS, self._helpers.address),
            (context.NEXT_STORAGE_ID, 1),
            (context.FUSION_TABLE, self._fusion),
            (context.FUSION_LENGTHS, self._lengths),
            (context.FUSION_WIDTH, self._width),
        )

    def _write_fusion(self, kernel: Kernel) -> None:
        table, lengths = fusion_table(kernel.handlers), fusion_lengths(kernel.handlers)
        self._tables = BumpArena(len(table) + len(lengths) + 64, checked=not kernel.compiled)
        self._fusion, self._lengths = self._tables.take(len(table)), self._tables.take(len(lengths))
        write_bytes(self._fusion, table)
        write_bytes(self._lengths, lengths)

    def _fill_hash_cache(self) -> None:
        """An empty entry looks like one for 64 zero bytes, so each holds their hash."""
        digest = keccak_bytes(bytes(64))[::-1]
        write_bytes(self._hash_cache.address, (bytes(64) + digest) * CACHE_ENTRIES)
