"""An entry of the cache of hashes: two words and the keccak-256 of their 64 bytes."""

from __future__ import annotations

from simulator.evm.kernel.records import Record, Word256


class HashedPair(Record):
    first = Word256()
    second = Word256()
    digest = Word256()
