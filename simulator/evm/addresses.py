"""Addresses: of created contracts, and those that the host answers at."""

from __future__ import annotations

from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.rlp import encode

CHEATCODE_ADDRESS = 0x7109709ECFA91A80626FF3989D68F67F5B1DD12D
FAILED_SLOT = int.from_bytes(b"failed".ljust(32, b"\0"), "big")
"""Of the cheatcode address: not 0 once an assertion of ds-test, or of forge-std before 1.8, has failed."""
CONSOLE_ADDRESS = 0x000000000000000000636F6E736F6C652E6C6F67


def contract_address(sender: int, nonce: int) -> int:
    """Address of the contract that a sender creates with a nonce: keccak(rlp([sender, nonce]))[12:]."""
    created = keccak_bytes(encode([sender.to_bytes(20, "big"), nonce]))
    return int.from_bytes(created[12:], "big")
