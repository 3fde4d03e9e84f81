"""The forked block, as it travels from the orchestrator to the workers."""

from __future__ import annotations

import msgspec


class ForkedBlock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A block of a chain. Words are 32 bytes, `rules` the name of the fork whose rules it follows as far as its header
    tells, empty when it does not."""

    chain_id: int
    number: int
    hash: bytes
    timestamp: int
    coinbase: bytes
    prevrandao: bytes
    gas_limit: int
    base_fee: bytes
    blob_base_fee: bytes
    rules: str = ""

    def describe(self) -> str:
        """`chain 1, block 19000000 (0x1234abcd…)`."""
        return f"chain {self.chain_id}, block {self.number} (0x{self.hash.hex()[:8]}…)"
