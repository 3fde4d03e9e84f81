"""SHA-256 (0x02), RIPEMD-160 (0x03) and identity (0x04): the yellow paper, appendix E."""

from __future__ import annotations

import hashlib

from simulator.precompiles.contract import Precompile, price_per_word


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def ripemd160(data: bytes) -> bytes:
    """The digest of 20 bytes, left-padded to a word. OpenSSL 3 hides RIPEMD-160 from hashlib, hence pycryptodome."""
    from Crypto.Hash import RIPEMD160

    return RIPEMD160.new(data).digest().rjust(32, b"\0")


def identity(data: bytes) -> bytes:
    return data


PRECOMPILES = (
    Precompile(0x02, "SHA256", "istanbul", price_per_word(60, 12), sha256),
    Precompile(0x03, "RIPEMD160", "istanbul", price_per_word(600, 120), ripemd160),
    Precompile(0x04, "ID", "istanbul", price_per_word(15, 3), identity),
)
