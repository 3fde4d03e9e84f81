"""Hashes that are compared stand for what was hashed: two of them are equal when that is."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from simulator.abi.hashing import keccak256
from simulator.evm.arenas import read_bytes
from simulator.evm.kernel.layout.context import KEPT_DIGESTS
from simulator.evm.kernel.layout.hashed_pair import HashedPair
from simulator.evm.kernel.layout.kept_hash import KEPT_BYTES
from simulator.evm.kernel.memory.keccak import CACHE_ENTRIES
from simulator.evm.kernel.records import pointer
from simulator.fuzz.loop.comparisons import Comparison
from simulator.fuzz.loop.engine import FuzzEngine

WORD = 32
SET_BITS = range(80, 177)
"""Of a hash, six deviations around half of them. Numbers have fewer, limits and negative ones more."""


class Preimages:
    """Reads what the machine keeps of its last hashes, and knows the hashes of the dictionary's byte strings."""

    def __init__(self, engine: FuzzEngine) -> None:
        self._engine = engine
        self._blobs: dict[int, bytes] = {}
        self._known_blobs = 0

    def behind(self, compared: list[Comparison]) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """By the two sides of each comparison of hashes, the pairs of words of what was hashed, and of its lengths."""
        wanted = {
            (each.left, each.right)
            for each in compared
            if each.left != each.right and _may_be_hash(each.left) and _may_be_hash(each.right)
        }
        if not wanted:
            return {}
        kept = self._kept(word for pair in wanted for word in pair)
        return {
            pair: _pairs(kept[pair[0]], kept[pair[1]]) for pair in sorted(wanted) if pair[0] in kept and pair[1] in kept
        }

    def _kept(self, digests: Iterable[int]) -> dict[int, bytes]:
        """What was hashed to these digests, as far as that is known."""
        context = self._engine.machine.context
        wanted = set(digests)
        found: dict[int, bytes] = {}
        for index in range(min(context.digest_count, KEPT_DIGESTS)):
            record = context.digests[index]
            if record.digest in wanted and record.size <= KEPT_BYTES:
                found[int(record.digest)] = read_bytes(pointer(record.data), record.size)
        missing = wanted - found.keys()
        return found | self._pairs_of_words(missing) | self._known(missing) if missing else found

    def _pairs_of_words(self, wanted: set[int]) -> dict[int, bytes]:
        """From the cache of hashes of two words."""
        data = read_bytes(pointer(self._engine.machine.context.hash_cache), CACHE_ENTRIES * HashedPair.SIZE)
        table = np.frombuffer(data, np.uint8).reshape(-1, HashedPair.SIZE)
        digests = table[:, 2 * WORD : 3 * WORD]
        found = {}
        for word in sorted(wanted):
            rows = np.flatnonzero((digests == np.frombuffer(word.to_bytes(WORD, "little"), np.uint8)).all(axis=1))
            if rows.size:
                row = table[rows[0]].tobytes()
                found[word] = row[WORD - 1 :: -1] + row[2 * WORD - 1 : WORD - 1 : -1]
        return found

    def _known(self, wanted: set[int]) -> dict[int, bytes]:
        """From the byte strings of the dictionary."""
        blobs = self._engine.dictionary.blobs
        if len(blobs) != self._known_blobs:
            self._known_blobs = len(blobs)
            self._blobs = {int.from_bytes(keccak256(blob), "big"): blob for blob in blobs if len(blob) <= KEPT_BYTES}
        return {word: self._blobs[word] for word in sorted(wanted) if word in self._blobs}


def _may_be_hash(word: int) -> bool:
    return word.bit_count() in SET_BITS


def _pairs(left: bytes, right: bytes) -> list[tuple[int, int]]:
    """The lengths, and the words that differ."""
    words = range(0, max(len(left), len(right)), WORD)
    return [(len(left), len(right)), *((_word(left, at), _word(right, at)) for at in words)]


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + WORD].ljust(WORD, b"\0"), "big")
