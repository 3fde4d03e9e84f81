"""A hash of other than two words, and the beginning of what was hashed."""

from __future__ import annotations

from simulator.evm.kernel.records import Bytes, Inline, Int64, Record, Word256

KEPT_BYTES = 256


class KeptHash(Record):
    digest = Word256()
    size = Int64()  # of all that was hashed
    data = Inline(Bytes, KEPT_BYTES)  # of it, as much as there is room for
