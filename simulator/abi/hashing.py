"""Keccak-256 and the identifiers derived from it."""

from __future__ import annotations

from functools import lru_cache

from Crypto.Hash import keccak


def keccak256(data: bytes) -> bytes:
    """The 32-byte Keccak-256 digest, with Ethereum's original padding (not NIST's SHA3-256)."""
    return keccak.new(digest_bits=256, data=data).digest()


@lru_cache(maxsize=8192)
def selector(signature: str) -> bytes:
    """The 4-byte selector of a canonical signature such as `transfer(address,uint256)`."""
    return event_topic(signature)[:4]


@lru_cache(maxsize=8192)
def event_topic(signature: str) -> bytes:
    """The 32-byte topic of an event's canonical signature."""
    return keccak256(signature.encode())


@lru_cache(maxsize=8192)
def checksum_address(address: int) -> str:
    """`0x` and 40 hex digits in the mixed case of EIP-55. `address` is 0..2**160-1."""
    digits = f"{address:040x}"
    digest = keccak256(digits.encode()).hex()
    return "0x" + "".join(c.upper() if d >= "8" else c for c, d in zip(digits, digest, strict=False))
