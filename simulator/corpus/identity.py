"""The identity of a sequence: equal sequences have equal hashes, on every machine and in every version."""

from __future__ import annotations

import hashlib

import msgspec

from simulator.transaction import Sequence

HASH_DIGITS = 32


def sequence_hash(sequence: Sequence) -> str:
    """32 hex digits of the SHA-256 over all fields of all transactions."""
    return hashlib.sha256(msgspec.msgpack.encode(sequence)).hexdigest()[:HASH_DIGITS]
