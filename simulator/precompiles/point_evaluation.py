"""POINT_EVALUATION (0x0a): does the polynomial behind a KZG commitment have value y at z? EIP-4844, Cancun.

The check needs only two points of the public ceremony's output: the generator of G2 and `TAU_G2`, the generator times
the ceremony's secret.
"""

from __future__ import annotations

import hashlib

from simulator.precompiles.contract import Precompile, PrecompileError, fixed_price, read_number

INPUT_SIZE = 192
FIELD_ELEMENTS_PER_BLOB = 4096
BLS_MODULUS = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
VERSION = b"\x01"
POINT_AT_INFINITY = b"\xc0" + bytes(47)
TAU_G2 = bytes.fromhex(
    "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72"
    "185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2"
)
OUTPUT = FIELD_ELEMENTS_PER_BLOB.to_bytes(32, "big") + BLS_MODULUS.to_bytes(32, "big")


def evaluate(data: bytes) -> bytes:
    """Input: versioned hash, z, y (a word each), commitment and proof (48 bytes each, compressed points of G1). Output:
    the blob's size and the field's modulus, for a proof that holds; all else fails."""
    if len(data) != INPUT_SIZE:
        raise PrecompileError(f"point evaluation takes {INPUT_SIZE} bytes")
    commitment, proof = data[96:144], data[144:192]
    if VERSION + hashlib.sha256(commitment).digest()[1:] != data[:32]:
        raise PrecompileError("the versioned hash is not the commitment's")
    z, y = read_number(data, 32), read_number(data, 64)
    if z >= BLS_MODULUS or y >= BLS_MODULUS:
        raise PrecompileError("z or y is not a canonical field element")
    if not _proof_holds(commitment, z, y, proof):
        raise PrecompileError("the proof does not hold")
    return OUTPUT


def _proof_holds(commitment: bytes, z: int, y: int, proof: bytes) -> bool:
    """e(C - y G1, -G2) * e(proof, tau G2 - z G2) == 1."""
    from py_arkworks_bls12381 import GT, G1Point, G2Point, Scalar

    _require_canonical(commitment)
    _require_canonical(proof)
    try:
        committed, quotient = G1Point.from_compressed_bytes(commitment), G1Point.from_compressed_bytes(proof)
    except ValueError as error:
        raise PrecompileError("commitment or proof is not a point of G1") from error
    generator = G2Point()
    value_at_z = committed - G1Point() * Scalar.from_be_bytes(y.to_bytes(32, "big"))
    divisor = G2Point.from_compressed_bytes_unchecked(TAU_G2) - generator * Scalar.from_be_bytes(z.to_bytes(32, "big"))
    return GT.pairing_check([value_at_z, quotient], [-generator, divisor])


def _require_canonical(point: bytes) -> None:
    """The library takes the point at infinity in several spellings; the specification, in one."""
    compressed, infinity = point[0] & 0x80, point[0] & 0x40
    if not compressed or (infinity and point != POINT_AT_INFINITY):
        raise PrecompileError("a point is not in canonical compressed form")


PRECOMPILES = (Precompile(0x0A, "KZG_POINT_EVALUATION", "cancun", fixed_price(50000), evaluate),)
