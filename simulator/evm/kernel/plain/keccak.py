"""Keccak-256 through the library, for the plain twin and the host."""

from __future__ import annotations

import ctypes

from Crypto.Hash import keccak as _library

from simulator.evm.kernel.plain.words import Word


def keccak_bytes(data: bytes) -> bytes:
    """The 32 bytes of keccak-256."""
    return _library.new(digest_bits=256, data=data).digest()


def keccak(address: int, size: int) -> Word:
    """Keccak-256 of `size` bytes at an address, as a word."""
    return Word(int.from_bytes(keccak_bytes(ctypes.string_at(address, size)), "big"))
