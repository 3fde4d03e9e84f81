"""Transactions and sequences: the one form in which generator, executor, corpus, shrinker and reports pass calls."""

from __future__ import annotations

import msgspec

WORD_MAX = (1 << 256) - 1
DEFAULT_GAS = 12_500_000
SELECTOR_SIZE = 4


class Transaction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call of a sequence, preceded by a delay.

    `sender` and `to` are 20 bytes; an empty `to` is a pure wait (Echidna's `NoCall`): only its delay takes effect.
    `data` is selector and ABI-encoded arguments. `value` is wei, big-endian without leading zeros, because frames
    carry integers of at most 64 bits. `seconds` and `blocks` pass before the call, also when it reverts.
    """

    sender: bytes
    to: bytes
    data: bytes = b""
    value: bytes = b""
    seconds: int = 0
    blocks: int = 0
    gas: int = DEFAULT_GAS

    @property
    def is_wait(self) -> bool:
        return not self.to

    @property
    def wei(self) -> int:
        return int.from_bytes(self.value, "big")


Sequence = tuple[Transaction, ...]


def plain_order(sequence: Sequence) -> tuple[object, ...]:
    """The simplicity of a sequence as far as it shows without an ABI: fewer calls, less calldata, smaller words."""
    calls = [(call.wei, call.seconds, call.blocks, call.data, call.sender) for call in sequence]
    return len(sequence), sum(len(call.data) for call in sequence), calls


def wei_bytes(amount: int) -> bytes:
    """Encode an amount of wei, 0..2**256-1, as `Transaction.value` holds it."""
    return amount.to_bytes((amount.bit_length() + 7) // 8, "big")


def address_bytes(address: int) -> bytes:
    """The 20 bytes of an address given as an integer."""
    return address.to_bytes(20, "big")


def address_int(address: bytes) -> int:
    return int.from_bytes(address, "big")
