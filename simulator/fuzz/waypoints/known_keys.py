"""Private keys that tests use: small numbers, forge's and anvil's accounts, numbers and names of the source."""

from __future__ import annotations

from functools import cached_property

import coincurve

from simulator.abi.hashing import keccak256
from simulator.fuzz.generation.dictionary import Dictionary

SMALL = 16
MAX_KEYS = 2048
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
ACCOUNTS = tuple(
    int(key, 16)
    for key in (
        "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
        "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
        "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
        "7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
        "47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
    )
)
"""The first accounts of the mnemonic "test test test test test test test test test test test junk"."""


class KnownKeys:
    """Keys by the addresses that they sign for. Names are those of `makeAddrAndKey`: their hash is the key."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    @cached_property
    def by_address(self) -> dict[int, int]:
        """All of them, the likeliest first."""
        named = (int.from_bytes(keccak256(name), "big") for name in self._dictionary.blobs)
        keys = dict.fromkeys((*range(1, SMALL + 1), *ACCOUNTS, *named, *self._dictionary.numbers))
        usable = [key for key in keys if 0 < key < ORDER][:MAX_KEYS]
        return {address_of(key): key for key in usable}


def address_of(key: int) -> int:
    """The account of a private key."""
    public = _private(key).public_key.format(compressed=False)[1:]
    return int.from_bytes(keccak256(public)[12:], "big")


def signed(key: int, digest: bytes) -> tuple[int, bytes, bytes]:
    """v, r and s of a digest."""
    signature = _private(key).sign_recoverable(digest, hasher=None)
    return 27 + signature[64], signature[:32], signature[32:64]


def _private(key: int) -> coincurve.PrivateKey:
    return coincurve.PrivateKey(key.to_bytes(32, "big"))
