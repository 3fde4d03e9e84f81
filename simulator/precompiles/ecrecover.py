"""ECRECOVER (0x01): the address that signed a hash with secp256k1. The yellow paper, appendix E."""

from __future__ import annotations

from simulator.abi.hashing import keccak256
from simulator.precompiles.contract import Precompile, fixed_price, read_number, read_padded

GROUP_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def recover_address(data: bytes) -> bytes:
    """Input: hash, v (27 or 28), r, s, a word each. Output: the address as a word, or nothing when no key fits; that is
    not a failure. An s in the upper half is accepted: EIP-2 restricts transactions, not this contract."""
    v, r, s = (read_number(data, offset) for offset in (32, 64, 96))
    if v not in (27, 28) or not 0 < r < GROUP_ORDER or not 0 < s < GROUP_ORDER:
        return b""
    return _recover(read_padded(data, 0, 32), read_padded(data, 64, 64) + bytes([v - 27]))


def _recover(message_hash: bytes, signature: bytes) -> bytes:
    from coincurve import PublicKey

    try:
        key = PublicKey.from_signature_and_message(signature, message_hash, hasher=None)
    except ValueError:  # r is not the x of a point, or the key would be the point at infinity
        return b""
    return keccak256(key.format(compressed=False)[1:])[12:].rjust(32, b"\0")


PRECOMPILES = (Precompile(0x01, "ECREC", "istanbul", fixed_price(3000), recover_address),)
