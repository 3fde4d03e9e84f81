"""Addresses: of created contracts, and those that the host answers at."""

from __future__ import annotations

from simulator.evm.kernel.plain.keccak import keccak_bytes

CHEATCODE_ADDRESS = 0x7109709ECFA91A80626FF3989D68F67F5B1DD12D
CONSOLE_ADDRESS = 0x000000000000000000636F6E736F6C652E6C6F67


def contract_address(sender: int, nonce: int) -> int:
    """Address of the contract that a sender creates with a nonce: keccak(rlp([sender, nonce]))[12:]."""
    if nonce < 0x80:
        encoded = bytes((nonce or 0x80,))
    else:
        digits = nonce.to_bytes((nonce.bit_length() + 7) // 8, "big")
        encoded = bytes((0x80 + len(digits),)) + digits
    payload = b"\x94" + sender.to_bytes(20, "big") + encoded
    return int.from_bytes(keccak_bytes(bytes((0xC0 + len(payload),)) + payload)[12:], "big")
