"""0x06 to 0x08: the curve alt_bn128 (EIP-196, EIP-197, prices of EIP-1108), on py_ecc."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from py_ecc import optimized_bn128

from simulator.evm.precompiles.result import InvalidInputError, PrecompileResult, paid

# py_ecc names what it offers by import alone, which strict typing does not count as offered.
curve: Any = optimized_bn128
GAS_ADD = 150
GAS_MULTIPLY = 6000
GAS_PAIRING = 45000
GAS_PAIRING_POINT = 34000
PAIR = 192


def _coordinate(data: bytes) -> int:
    value = int.from_bytes(data, "big")
    if value >= curve.field_modulus:
        raise InvalidInputError
    return value


def _point(data: bytes) -> Any:
    """A point of G1 from 64 bytes; zeros are the point at infinity."""
    x, y = _coordinate(data[:32]), _coordinate(data[32:64])
    if x == 0 and y == 0:
        return curve.Z1
    point = (curve.FQ(x), curve.FQ(y), curve.FQ(1))
    if not curve.is_on_curve(point, curve.b):
        raise InvalidInputError
    return point


def _twist_point(data: bytes) -> Any:
    """A point of G2 from 128 bytes, imaginary parts first."""
    x_imaginary, x_real, y_imaginary, y_real = (_coordinate(data[index : index + 32]) for index in range(0, 128, 32))
    if not (x_real or x_imaginary or y_real or y_imaginary):
        return curve.Z2
    point = (curve.FQ2([x_real, x_imaginary]), curve.FQ2([y_real, y_imaginary]), curve.FQ2.one())
    if not curve.is_on_curve(point, curve.b2):
        raise InvalidInputError
    if not curve.is_inf(curve.multiply(point, curve.curve_order)):
        raise InvalidInputError
    return point


def _encode(point: Any) -> bytes:
    if curve.is_inf(point):
        return bytes(64)
    x, y = curve.normalize(point)
    return int(x).to_bytes(32, "big") + int(y).to_bytes(32, "big")


@lru_cache(maxsize=256)
def _add(data: bytes) -> bytes:
    return _encode(curve.add(_point(data[:64]), _point(data[64:128])))


@lru_cache(maxsize=256)
def _multiply(data: bytes) -> bytes:
    return _encode(curve.multiply(_point(data[:64]), int.from_bytes(data[64:96], "big")))


@lru_cache(maxsize=256)
def _pairing(data: bytes) -> bytes:
    product = curve.FQ12.one()
    for start in range(0, len(data), PAIR):
        left = _point(data[start : start + 64])
        right = _twist_point(data[start + 64 : start + PAIR])
        if not curve.is_inf(left) and not curve.is_inf(right):
            product *= curve.pairing(right, left, final_exponentiate=False)
    one = curve.final_exponentiate(product) == curve.FQ12.one()
    return int(one).to_bytes(32, "big")


def bn128_add(data: bytes, gas: int) -> PrecompileResult:
    """0x06: sum of two points."""
    return paid(gas, GAS_ADD, lambda: _add(data[:128].ljust(128, b"\0")))


def bn128_multiply(data: bytes, gas: int) -> PrecompileResult:
    """0x07: a point times a number."""
    return paid(gas, GAS_MULTIPLY, lambda: _multiply(data[:96].ljust(96, b"\0")))


def bn128_pairing(data: bytes, gas: int) -> PrecompileResult:
    """0x08: whether the product of pairings is one."""
    return paid(gas, GAS_PAIRING + GAS_PAIRING_POINT * (len(data) // PAIR), lambda: _checked_pairing(data))


def _checked_pairing(data: bytes) -> bytes:
    if len(data) % PAIR:
        raise InvalidInputError
    return _pairing(data)
