"""EIP-2537's encoding of field elements and points, to and from the points of `py_arkworks_bls12381`.

A field element is 64 bytes, the first 16 zero, canonical (below the field's modulus). A point is its two coordinates,
all zero for the point at infinity; a coordinate of G2 is two elements, c0 then c1. The library writes the same without
the zeros in front.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.precompiles.contract import PrecompileError

if TYPE_CHECKING:
    from py_arkworks_bls12381 import G1Point, G2Point

MODULUS = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
ELEMENT_SIZE = 64
NATIVE_ELEMENT_SIZE = 48
PADDING = bytes(ELEMENT_SIZE - NATIVE_ELEMENT_SIZE)
G1_SIZE = 2 * ELEMENT_SIZE
G2_SIZE = 4 * ELEMENT_SIZE


def unpadded_elements(data: bytes) -> bytes:
    """The library's form of consecutive field elements: 48 bytes each."""
    return b"".join(_unpadded(data[start : start + ELEMENT_SIZE]) for start in range(0, len(data), ELEMENT_SIZE))


def _unpadded(element: bytes) -> bytes:
    if int.from_bytes(element, "big") >= MODULUS:
        raise PrecompileError("a coordinate is not below the field's modulus")
    return element[len(PADDING) :]


def _padded_elements(data: bytes) -> bytes:
    starts = range(0, len(data), NATIVE_ELEMENT_SIZE)
    return b"".join(PADDING + data[start : start + NATIVE_ELEMENT_SIZE] for start in starts)


def decode_g1(data: bytes) -> G1Point:
    """A point of the curve, of any order. All zero is the library's point at infinity too."""
    from py_arkworks_bls12381 import G1Point

    try:
        return G1Point.from_xy_bytes_unchecked_be(unpadded_elements(data))
    except ValueError as error:
        raise PrecompileError("not a point of the curve") from error


def decode_g2(data: bytes) -> G2Point:
    """A point of the twisted curve, of any order."""
    from py_arkworks_bls12381 import G2Point

    try:
        return G2Point.from_xy_bytes_unchecked_be(unpadded_elements(data))
    except ValueError as error:
        raise PrecompileError("not a point of the twisted curve") from error


def decode_g1_of_subgroup(data: bytes) -> G1Point:
    point = decode_g1(data)
    if not point.is_in_subgroup():
        raise PrecompileError("a point of G1 is not in the subgroup")
    return point


def decode_g2_of_subgroup(data: bytes) -> G2Point:
    point = decode_g2(data)
    if not point.is_in_subgroup():
        raise PrecompileError("a point of G2 is not in the subgroup")
    return point


def encode(point: G1Point | G2Point) -> bytes:
    return _padded_elements(point.to_xy_bytes_be())
