"""The memory of a machine: all arenas but those of accounts and codes, and the tables that the kernel reads."""

from __future__ import annotations

import struct
from functools import cache

from simulator.evm.arenas import Arena, BumpArena, write_bytes
from simulator.evm.host_memory import view
from simulator.evm.kernel.calls import calls
from simulator.evm.kernel.code.superinstructions import JOINT
from simulator.evm.kernel.layout.access import Access
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.comparison import Comparison
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.decode_entry import DecodeEntry
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.layout.hashed_pair import HashedPair
from simulator.evm.kernel.layout.helpers import Helpers
from simulator.evm.kernel.layout.journal_entry import JournalEntry
from simulator.evm.kernel.layout.log import Log
from simulator.evm.kernel.memory.keccak import CACHE_ENTRIES
from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.evm.kernel.records import Int32s, Records, References, Words
from simulator.evm.kernel_entry import Kernel
from simulator.evm.opcodes import decode_table
from simulator.forks import Fork

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
JOURNAL_RESERVE = DESTROYED_ACCOUNTS * 3 * JournalEntry.SIZE


class MachineMemory:
    """Reserves the arenas and fills the tables of one machine. `connect` tells the context where they are."""

    def __init__(self, kernel: Kernel, fork: Fork, memory_bytes: int) -> None:
        checked = not kernel.compiled
        self._stack = Arena(STACK_BYTES, checked=checked)
        self._memory = Arena(memory_bytes, checked=checked)
        self._returndata = Arena(memory_bytes, checked=checked)
        self._frames = Arena((calls.DEPTH_LIMIT + 2) * Frame.SIZE, checked=checked)
        self._journal = Arena(JOURNAL_BYTES, checked=checked)
        self._logs = Arena(LOGS_BYTES, checked=checked)
        self._destroyed = Arena(DESTROYED_ACCOUNTS * 8, checked=checked)
        self._hash_cache = Arena(CACHE_ENTRIES * HashedPair.SIZE, checked=checked)
        self._comparisons = Arena(COMPARISON_RECORDS * Comparison.SIZE, checked=checked)
        self._decode_table = Arena(256 * DecodeEntry.SIZE, checked=checked)
        self.calldata = Arena(CALLDATA_BYTES, checked=checked)
        self._blobhashes = Arena(BLOBHASHES * 32, checked=checked)
        self._accesses = Arena(ACCESS_RECORDS * Access.SIZE, checked=checked)
        self._helpers = Arena(Helpers.SIZE, checked=checked)
        self._lengths, self._fusion, self._width = 0, 0, fusion_width(kernel.handlers)
        write_bytes(self._decode_table.address, decode_table(fork, kernel.handlers))
        self._write_fusion(kernel)
        self._fill_hash_cache()

    def connect(self, context: Context) -> None:
        """Let the context know every arena and table."""
        context.stack_start = view(Words, self._stack.address)
        context.memory_start, context.memory_end = self._memory.address, self._memory.end
        context.returndata, context.returndata_limit = self._returndata.address, self._memory.size
        context.frames = view(Frame, self._frames.address)
        context.journal, context.journal_limit = self._journal.address, JOURNAL_BYTES - JOURNAL_RESERVE
        context.logs = context.logs_top = view(Log, self._logs.address)
        context.logs_end = self._logs.end
        context.destroyed, context.destroyed_limit = (
            view(References[Account], self._destroyed.address),
            DESTROYED_ACCOUNTS,
        )
        context.hash_cache = view(Records[HashedPair], self._hash_cache.address)
        context.comparisons = view(Records[Comparison], self._comparisons.address)
        context.comparisons_mask = COMPARISON_RECORDS - 1
        context.decode_table = view(Records[DecodeEntry], self._decode_table.address)
        context.blobhashes = view(Words, self._blobhashes.address)
        context.accesses, context.accesses_limit = view(Records[Access], self._accesses.address), ACCESS_RECORDS
        context.helpers = view(Helpers, self._helpers.address)
        context.next_storage_id = 1
        context.fusion_table = view(Int32s, self._fusion)
        context.fusion_lengths = view(Int32s, self._lengths)
        context.fusion_width = self._width

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


# --- tables by which the decoder joins instructions: see `kernel/code/superinstructions.py` ---------------------------


def _sequences(handlers: dict[str, int]) -> dict[tuple[int, ...], int]:
    """Handlers of sequences by the handlers of their parts."""
    joined = {name: number for name, number in handlers.items() if JOINT in name}
    return {tuple(handlers[part] for part in name.split(JOINT)): number for name, number in joined.items()}


def fusion_width(handlers: dict[str, int]) -> int:
    """Entries of a row: one for each handler, and the accepted one."""
    return len(handlers) + 1


def fusion_table(handlers: dict[str, int]) -> bytes:
    """The trie of all sequences."""
    return _table(tuple(handlers.items()))


@cache
def _table(numbered: tuple[tuple[str, int], ...]) -> bytes:
    handlers = dict(numbered)
    width = fusion_width(handlers)
    rows = [[0] * width]
    for sequence, accepted in _sequences(handlers).items():
        state = 0
        for handler in sequence:
            if not rows[state][handler]:
                rows[state][handler] = len(rows)
                rows.append([0] * width)
            state = rows[state][handler]
        rows[state][-1] = accepted
    return b"".join(struct.pack(f"<{width}i", *row) for row in rows)


def fusion_lengths(handlers: dict[str, int]) -> bytes:
    """Number of instructions for each handler."""
    ordered = sorted(handlers, key=lambda name: handlers[name])
    return struct.pack(f"<{len(ordered)}i", *(name.count(JOINT) + 1 for name in ordered))
