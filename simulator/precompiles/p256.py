"""P256VERIFY (0x100): is this a signature by this key on secp256r1? EIP-7951, Osaka."""

from __future__ import annotations

from simulator.precompiles.contract import Precompile, fixed_price, read_number

INPUT_SIZE = 160
GROUP_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
VALID = (1).to_bytes(32, "big")


def verify(data: bytes) -> bytes:
    """Input: hash, r, s, and the key's x and y, a word each. Output: the word 1 for a valid signature, nothing for
    anything else: this contract never fails."""
    if len(data) != INPUT_SIZE:
        return b""
    r, s, x, y = (read_number(data, offset) for offset in (32, 64, 96, 128))
    if not 0 < r < GROUP_ORDER or not 0 < s < GROUP_ORDER:
        return b""
    return VALID if _is_valid(data[:32], r, s, x, y) else b""


def _is_valid(message_hash: bytes, r: int, s: int, x: int, y: int) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.hashes import SHA256

    try:
        key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        key.verify(utils.encode_dss_signature(r, s), message_hash, ec.ECDSA(utils.Prehashed(SHA256())))
    except (ValueError, InvalidSignature):  # ValueError: a coordinate out of the field, or a point off the curve
        return False
    return True


PRECOMPILES = (Precompile(0x100, "P256VERIFY", "osaka", fixed_price(6900), verify),)
