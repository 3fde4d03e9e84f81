"""0x0a: KZG point evaluation (EIP-4844), on arkworks' BLS12-381."""

from __future__ import annotations

import hashlib

from py_arkworks_bls12381 import GT, G1Point, G2Point, Scalar

from simulator.evm.precompiles.result import InvalidInputError, PrecompileResult, paid

GAS = 50000
INPUT_SIZE = 192
FIELD_ELEMENTS_PER_BLOB = 4096
MODULUS = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
VERSION = b"\x01"
# [tau]_2 of the Ethereum KZG ceremony.
TAU_G2 = bytes.fromhex(
    "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72"
    "185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2"
)


def _scalar(data: bytes) -> Scalar:
    if int.from_bytes(data, "big") >= MODULUS:
        raise InvalidInputError
    return Scalar.from_be_bytes(data)


def _verify(commitment: bytes, z: bytes, y: bytes, proof: bytes) -> bool:
    """e(commitment - [y], -[1]) * e(proof, [tau - z]) = 1"""
    try:
        commitment_point = G1Point.from_compressed_bytes(commitment)
        proof_point = G1Point.from_compressed_bytes(proof)
    except ValueError as error:
        raise InvalidInputError from error
    difference = commitment_point - G1Point() * _scalar(y)
    shifted = G2Point.from_compressed_bytes(TAU_G2) - G2Point() * _scalar(z)
    return bool(GT.pairing_check([difference, proof_point], [-G2Point(), shifted]))


def _run(data: bytes) -> bytes:
    if len(data) != INPUT_SIZE:
        raise InvalidInputError
    versioned_hash, z, y, commitment, proof = data[:32], data[32:64], data[64:96], data[96:144], data[144:192]
    if versioned_hash != VERSION + hashlib.sha256(commitment).digest()[1:]:
        raise InvalidInputError
    if not _verify(commitment, z, y, proof):
        raise InvalidInputError
    return FIELD_ELEMENTS_PER_BLOB.to_bytes(32, "big") + MODULUS.to_bytes(32, "big")


def point_evaluation(data: bytes, gas: int) -> PrecompileResult:
    """0x0a: that a blob's polynomial has the value y at z."""
    return paid(gas, GAS, lambda: _run(data))
