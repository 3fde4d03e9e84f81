"""Keccak-256, with a cache for the 64-byte inputs that address Solidity's mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.evm.kernel.layout.context import KEPT_DIGESTS, Context
from simulator.evm.kernel.layout.kept_hash import KEPT_BYTES
from simulator.evm.kernel.memory_access import copy_memory, load_word_be, store_word_be
from simulator.evm.kernel.mode import COMPILING, kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.words import Word, hash_word, low

if TYPE_CHECKING or not COMPILING:
    from simulator.evm.kernel.plain.keccak import keccak
else:
    from simulator.evm.kernel.native.keccak import keccak

__all__ = ["CACHE_ENTRIES", "hash_bytes", "hash_pair", "keccak"]

CACHE_ENTRIES = 4096  # the host fills in the hash of zeros, which an empty entry looks like


@kernel
def pair_place(first: Word, second: Word) -> int:
    """Return the place of a pair in the cache. A mapping's slot, or what tells one of several from the other, is in
    the low bits of the second word."""
    return hash_word(first, low(second)) & (CACHE_ENTRIES - 1)


@kernel
def hash_pair(machine: Context, data: int) -> Word:
    """Keccak-256 of the 64 bytes at `data`, through a direct-mapped cache."""
    first = load_word_be(data)
    second = load_word_be(data + 32)
    entry = machine.hash_cache[pair_place(first, second)]
    if entry.first == first and entry.second == second:
        return entry.digest
    digest = keccak(data, 64)
    entry.first = first
    entry.second = second
    entry.digest = digest
    return digest


@kernel
def hash_bytes(machine: Context, data: int, size: int) -> Word:
    """Keccak-256 of `size` bytes as a word; pairs of words go through the cache. The last digests of others are kept:
    who hashed a key or an order may be asked for it again, and two hashes that are compared stand for what was
    hashed."""
    if size == 64:
        return hash_pair(machine, data)
    digest = keccak(data, size)
    kept = machine.digests[machine.digest_count & (KEPT_DIGESTS - 1)]
    kept.digest = digest
    kept.size = size
    copy_memory(pointer(kept.data), data, min(size, KEPT_BYTES))
    machine.digest_count += 1
    return digest


@kernel
def hash_command(machine: Context) -> int:
    """Command: keccak-256 of `command_b` bytes at `command_a`, written big-endian to `command_c`."""
    digest = keccak(machine.command_a, machine.command_b)
    store_word_be(machine.command_c, digest)
    return 0
