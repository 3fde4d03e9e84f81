"""Keys of mappings as dictionary words: what a contract once hashed with a slot, it may be asked for again."""

from __future__ import annotations

import numpy as np

from simulator.evm.arenas import read_bytes
from simulator.evm.kernel.layout.hashed_pair import HashedPair
from simulator.evm.kernel.memory.keccak import CACHE_ENTRIES
from simulator.evm.kernel.records import pointer
from simulator.fuzz.loop.engine import FuzzEngine

WORD_BYTES = 32
MOST = 64
ADDRESS_BYTES = 20


class HashedKeys:
    """Reads the machine's cache of hashes. Small keys and addresses are known anyway."""

    def __init__(self, engine: FuzzEngine) -> None:
        self._engine = engine
        self._known: set[int] = set()

    def learn(self) -> None:
        """Put keys that were not there the last time among the words seen during execution."""
        data = read_bytes(pointer(self._engine.machine.context.hash_cache), CACHE_ENTRIES * HashedPair.SIZE)
        table = np.frombuffer(data, np.uint8).reshape(-1, HashedPair.SIZE)[:, :WORD_BYTES]
        large = table[table[:, ADDRESS_BYTES:].any(axis=1)]
        found = {int.from_bytes(row.tobytes(), "little") for row in large}
        fresh = sorted(found - self._known)[:MOST]
        self._known = found
        self._engine.words.add(fresh)
