"""BN254_ADD (0x06), BN254_MUL (0x07) and BN254_PAIRING (0x08): EIP-196 and EIP-197, gas of EIP-1108."""

from __future__ import annotations

from functools import lru_cache

from simulator.precompiles.bn254 import g1, g2
from simulator.precompiles.bn254.field import MODULUS
from simulator.precompiles.bn254.pairing import Pair, product_of_pairings_is_one
from simulator.precompiles.contract import Precompile, PrecompileError, fixed_price, read_number, read_padded

G1_SIZE = 64
G2_SIZE = 128
PAIR_SIZE = G1_SIZE + G2_SIZE
PAIRING_BASE_GAS = 45000
PAIRING_PAIR_GAS = 34000
TRUE, FALSE = (1).to_bytes(32, "big"), bytes(32)


def add(data: bytes) -> bytes:
    """Input: two points, x and y a word each. Output: their sum. (0, 0) is the point at infinity."""
    return _encode(g1.add(decode_g1(read_padded(data, 0, G1_SIZE)), decode_g1(read_padded(data, G1_SIZE, G1_SIZE))))


def multiply(data: bytes) -> bytes:
    """Input: a point and a scalar, any word. Output: the product."""
    return _encode(g1.multiply(decode_g1(read_padded(data, 0, G1_SIZE)), read_number(data, G1_SIZE)))


def check_pairing(data: bytes) -> bytes:
    """Input: pairs of a point of G1 and one of G2. Output: the word 1 when the product of their pairings is one, else
    0. A pair with a point at infinity contributes one, but its other point must be valid."""
    if len(data) % PAIR_SIZE:
        raise PrecompileError(f"the input is not a sequence of {PAIR_SIZE} bytes")
    pairs: list[Pair] = []
    for start in range(0, len(data), PAIR_SIZE):
        p = decode_g1(data[start : start + G1_SIZE])
        q = decode_g2(data[start + G1_SIZE : start + PAIR_SIZE])
        if p is not None and q is not None:
            pairs.append((p, q))
    return TRUE if product_of_pairings_is_one(pairs) else FALSE


def decode_g1(data: bytes) -> g1.Affine:
    x, y = _coordinate(data, 0), _coordinate(data, 32)
    if x == y == 0:
        return None
    if not g1.is_on_curve(x, y):
        raise PrecompileError("not a point of the curve")
    return x, y


@lru_cache(maxsize=64)
def decode_g2(data: bytes) -> g2.Point | None:
    """Each coordinate is its imaginary part, then its real part."""
    x, y = (_coordinate(data, 32), _coordinate(data, 0)), (_coordinate(data, 96), _coordinate(data, 64))
    if x == y == g2.ZERO:
        return None
    if not g2.is_on_curve(x, y):
        raise PrecompileError("not a point of the twisted curve")
    if not g2.is_in_subgroup((x, y)):
        raise PrecompileError("not a point of the subgroup")
    return x, y


def _coordinate(data: bytes, start: int) -> int:
    number = read_number(data, start)
    if number >= MODULUS:
        raise PrecompileError("a coordinate is not below the field's modulus")
    return number


def _encode(point: g1.Affine) -> bytes:
    x, y = point or (0, 0)
    return x.to_bytes(32, "big") + y.to_bytes(32, "big")


def _pairing_price(data: bytes) -> int:
    return PAIRING_BASE_GAS + PAIRING_PAIR_GAS * (len(data) // PAIR_SIZE)


PRECOMPILES = (
    Precompile(0x06, "BN254_ADD", "istanbul", fixed_price(150), add),
    Precompile(0x07, "BN254_MUL", "istanbul", fixed_price(6000), multiply),
    Precompile(0x08, "BN254_PAIRING", "istanbul", _pairing_price, check_pairing),
)
