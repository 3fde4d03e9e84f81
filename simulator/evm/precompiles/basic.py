"""0x01 to 0x04: signature recovery, hashes, identity."""

from __future__ import annotations

import hashlib

import coincurve
from Crypto.Hash import RIPEMD160

from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.evm.precompiles.result import PrecompileResult, paid, words

SECP256K1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def ecrecover(data: bytes, gas: int) -> PrecompileResult:
    """0x01: the address that signed a hash, as a word; nothing for a signature that is none."""
    return paid(gas, 3000, lambda: _recover(data[:128].ljust(128, b"\0")))


def _recover(data: bytes) -> bytes:
    digest, v, r, s = (data[index : index + 32] for index in range(0, 128, 32))
    parity = int.from_bytes(v, "big") - 27
    numbers = int.from_bytes(r, "big"), int.from_bytes(s, "big")
    if parity not in (0, 1) or not all(0 < number < SECP256K1_ORDER for number in numbers):
        return b""
    try:
        key = coincurve.PublicKey.from_signature_and_message(r + s + bytes((parity,)), digest, hasher=None)
    except ValueError:
        return b""
    return bytes(12) + keccak_bytes(key.format(compressed=False)[1:])[12:]


def sha256(data: bytes, gas: int) -> PrecompileResult:
    """0x02."""
    return paid(gas, 60 + 12 * words(data), lambda: hashlib.sha256(data).digest())


def ripemd160(data: bytes, gas: int) -> PrecompileResult:
    """0x03: 20 bytes as a word."""
    return paid(gas, 600 + 120 * words(data), lambda: bytes(12) + RIPEMD160.new(data).digest())


def identity(data: bytes, gas: int) -> PrecompileResult:
    """0x04; the kernel runs it itself unless it is traced."""
    return paid(gas, 15 + 3 * words(data), lambda: data)
