"""The contracts: additions take any point of the curve, products and pairings those of the prime-order subgroup."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from simulator.precompiles.bls12_381 import gas
from simulator.precompiles.bls12_381.encoding import (
    ELEMENT_SIZE,
    G1_SIZE,
    G2_SIZE,
    decode_g1,
    decode_g1_of_subgroup,
    decode_g2,
    decode_g2_of_subgroup,
    encode,
    unpadded_elements,
)
from simulator.precompiles.contract import Precompile, PrecompileError, fixed_price

SCALAR_SIZE = 32
G1_TERM = G1_SIZE + SCALAR_SIZE
G2_TERM = G2_SIZE + SCALAR_SIZE
PAIR = G1_SIZE + G2_SIZE
TRUE, FALSE = (1).to_bytes(32, "big"), bytes(32)


def _chunks(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def _count(data: bytes, size: int) -> int:
    if not data or len(data) % size:
        raise PrecompileError(f"the input is not one or more records of {size} bytes")
    return len(data) // size


def _require_size(data: bytes, size: int) -> None:
    if len(data) != size:
        raise PrecompileError(f"the input is not {size} bytes")


def add_g1(data: bytes) -> bytes:
    _require_size(data, 2 * G1_SIZE)
    return encode(decode_g1(data[:G1_SIZE]) + decode_g1(data[G1_SIZE:]))


def add_g2(data: bytes) -> bytes:
    _require_size(data, 2 * G2_SIZE)
    return encode(decode_g2(data[:G2_SIZE]) + decode_g2(data[G2_SIZE:]))


def multiply_g1(data: bytes) -> bytes:
    """The sum of point * scalar; scalars are any 256-bit numbers, taken modulo the group's order."""
    from py_arkworks_bls12381 import G1Point, Scalar

    terms = list(_chunks(data, G1_TERM))
    points = [decode_g1_of_subgroup(term[:G1_SIZE]) for term in terms]
    return encode(G1Point.multiexp_unchecked(points, [Scalar.from_be_bytes_mod_order(t[G1_SIZE:]) for t in terms]))


def multiply_g2(data: bytes) -> bytes:
    from py_arkworks_bls12381 import G2Point, Scalar

    terms = list(_chunks(data, G2_TERM))
    points = [decode_g2_of_subgroup(term[:G2_SIZE]) for term in terms]
    return encode(G2Point.multiexp_unchecked(points, [Scalar.from_be_bytes_mod_order(t[G2_SIZE:]) for t in terms]))


def check_pairing(data: bytes) -> bytes:
    """The word 1 when the product of the pairings of all (G1, G2) is one, else the word 0."""
    from py_arkworks_bls12381 import GT

    pairs = list(_chunks(data, PAIR))
    left = [decode_g1_of_subgroup(pair[:G1_SIZE]) for pair in pairs]
    right = [decode_g2_of_subgroup(pair[G1_SIZE:]) for pair in pairs]
    return TRUE if GT.pairing_check(left, right) else FALSE


def map_to_g1(data: bytes) -> bytes:
    from py_arkworks_bls12381 import G1Point

    _require_size(data, ELEMENT_SIZE)
    return encode(G1Point.map_from_fp_be(unpadded_elements(data)))


def map_to_g2(data: bytes) -> bytes:
    from py_arkworks_bls12381 import G2Point

    _require_size(data, 2 * ELEMENT_SIZE)
    return encode(G2Point.map_from_fp2_be(unpadded_elements(data)))


def _product_price(term: int, multiply: int, discounts: tuple[int, ...]) -> Callable[[bytes], int]:
    return lambda data: gas.multi_scalar_multiplication(_count(data, term), multiply, discounts)


def _pairing_price(data: bytes) -> int:
    return gas.PAIRING_BASE + gas.PAIRING_PAIR * _count(data, PAIR)


_G1_PRODUCT_PRICE = _product_price(G1_TERM, gas.G1_MULTIPLY, gas.G1_DISCOUNTS)
_G2_PRODUCT_PRICE = _product_price(G2_TERM, gas.G2_MULTIPLY, gas.G2_DISCOUNTS)

PRECOMPILES = (
    Precompile(0x0B, "BLS12_G1ADD", "prague", fixed_price(gas.G1_ADD), add_g1),
    Precompile(0x0C, "BLS12_G1MSM", "prague", _G1_PRODUCT_PRICE, multiply_g1),
    Precompile(0x0D, "BLS12_G2ADD", "prague", fixed_price(gas.G2_ADD), add_g2),
    Precompile(0x0E, "BLS12_G2MSM", "prague", _G2_PRODUCT_PRICE, multiply_g2),
    Precompile(0x0F, "BLS12_PAIRING_CHECK", "prague", _pairing_price, check_pairing),
    Precompile(0x10, "BLS12_MAP_FP_TO_G1", "prague", fixed_price(gas.MAP_TO_G1), map_to_g1),
    Precompile(0x11, "BLS12_MAP_FP2_TO_G2", "prague", fixed_price(gas.MAP_TO_G2), map_to_g2),
)
