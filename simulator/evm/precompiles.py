"""Precompiled contracts that the kernel leaves to the host: functions of input and gas."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import coincurve
from Crypto.Hash import RIPEMD160

from simulator.evm.kernel.plain.keccak import keccak_bytes

SECP256K1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


@dataclass(frozen=True)
class PrecompileResult:
    """`ok` false means that the call fails and all its gas is gone."""

    ok: bool
    output: bytes
    gas_left: int


FAILED = PrecompileResult(ok=False, output=b"", gas_left=0)
Precompile = Callable[[bytes, int], PrecompileResult]


def _words(data: bytes) -> int:
    return (len(data) + 31) // 32


def _paid(gas: int, cost: int, compute: Callable[[], bytes]) -> PrecompileResult:
    if gas < cost:
        return FAILED
    return PrecompileResult(True, compute(), gas - cost)


def ecrecover(data: bytes, gas: int) -> PrecompileResult:
    """0x01: the address that signed a hash, as a word; nothing for a signature that is none."""
    return _paid(gas, 3000, lambda: _recover(data[:128].ljust(128, b"\0")))


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
    return _paid(gas, 60 + 12 * _words(data), lambda: hashlib.sha256(data).digest())


def ripemd160(data: bytes, gas: int) -> PrecompileResult:
    """0x03: 20 bytes as a word."""
    return _paid(gas, 600 + 120 * _words(data), lambda: bytes(12) + RIPEMD160.new(data).digest())


def identity(data: bytes, gas: int) -> PrecompileResult:
    """0x04; the kernel runs it itself unless it is traced."""
    return _paid(gas, 15 + 3 * _words(data), lambda: data)


PRECOMPILES: dict[int, Precompile] = {1: ecrecover, 2: sha256, 3: ripemd160, 4: identity}
