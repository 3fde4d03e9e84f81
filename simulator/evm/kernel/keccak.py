"""Keccak-256, with a cache for the 64-byte inputs that address Solidity's mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.evm.kernel.layout import context
from simulator.evm.kernel.memory_access import load_i64, load_word, load_word_be, store_word, store_word_be
from simulator.evm.kernel.mode import COMPILING, kernel
from simulator.evm.kernel.words import Word, hash_word, low

if TYPE_CHECKING or not COMPILING:
    from simulator.evm.kernel.plain.keccak import keccak
else:
    from simulator.evm.kernel.native.keccak import keccak

__all__ = ["CACHE_ENTRIES", "CACHE_ENTRY_BYTES", "hash_bytes", "hash_pair", "keccak"]

CACHE_ENTRIES = 4096
CACHE_ENTRY_BYTES = (
    96  # two input words and their hash; the host fills in the one for zeros, which an empty entry looks like
)


@kernel
def pair_place(first: Word, second: Word) -> int:
    """Where the cache keeps a pair. A mapping's slot, or what tells one of several from the other, is in the low bits
    of the second word."""
    return hash_word(first, low(second)) & (CACHE_ENTRIES - 1)


@kernel
def hash_pair(c: int, address: int) -> Word:
    """Keccak-256 of the 64 bytes at an address, through a direct-mapped cache."""
    first = load_word_be(address)
    second = load_word_be(address + 32)
    entry = load_i64(c + context.HASH_CACHE) + pair_place(first, second) * CACHE_ENTRY_BYTES
    if load_word(entry) == first and load_word(entry + 32) == second:
        return load_word(entry + 64)
    digest = keccak(address, 64)
    store_word(entry, first)
    store_word(entry + 32, second)
    store_word(entry + 64, digest)
    return digest


@kernel
def hash_bytes(c: int, address: int, size: int) -> Word:
    """Keccak-256 of `size` bytes as a word; pairs of words go through the cache."""
    if size == 64:
        return hash_pair(c, address)
    return keccak(address, size)


@kernel
def hash_command(c: int) -> int:
    """Command: keccak-256 of COMMAND_B bytes at COMMAND_A, written big-endian to COMMAND_C."""
    digest = keccak(load_i64(c + context.COMMAND_A), load_i64(c + context.COMMAND_B))
    store_word_be(load_i64(c + context.COMMAND_C), digest)
    return 0
