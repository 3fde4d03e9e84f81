"""Differential tests: generated inputs give the same outcome, output and gas here and in revm.

revm as pyrevm ships it has no BLS12-381, no Osaka, and prices MODEXP by EIP-2565 in every fork; for those there is
`test_recorded_vectors.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import coincurve
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py_arkworks_bls12381 import G1Point, Scalar

from simulator.precompiles import PrecompileResult
from simulator.precompiles.bn254 import g1, g2
from simulator.precompiles.bn254.field import MODULUS
from simulator.precompiles.ecrecover import GROUP_ORDER
from simulator.precompiles.point_evaluation import BLS_MODULUS, POINT_AT_INFINITY

Agree = Callable[[int, bytes, str], PrecompileResult]
ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617
G1 = (1, 2)
G2 = (
    (
        10857046999023057135944570762232829481370756359578518086990519993285655852781,
        11559732032986387107991004021392285783925812861821192530917403151452391805634,
    ),
    (
        8495653923123431417604973247489272438418190587263600148770280649306958101930,
        4082367875863433681332203403145435568316851327593401208105741076214120093531,
    ),
)
BEFORE_OSAKA = st.sampled_from(("istanbul", "berlin", "cancun", "prague"))
EIP_2565 = st.sampled_from(("berlin", "london", "prague"))
MAX_WORD = 2**256 - 1
few = settings(max_examples=40, deadline=None)
many = settings(max_examples=120, deadline=None)


def word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def g1_bytes(point: g1.Affine) -> bytes:
    return b"".join(map(word, point or (0, 0)))


def g2_bytes(point: g2.Point | None) -> bytes:
    (x, x_i), (y, y_i) = point or ((0, 0), (0, 0))
    return b"".join(map(word, (x_i, x, y_i, y)))


words = st.one_of(st.integers(0, MAX_WORD), st.sampled_from((0, 1, 2, MAX_WORD)))
scalars = st.one_of(words, st.sampled_from((ORDER - 1, ORDER, ORDER + 1)))
multiples = scalars.map(lambda scalar: g1_bytes(g1.multiply(G1, scalar)))
bad_points = st.sampled_from((word(1) * 2, word(1 + MODULUS) + word(2), word(MODULUS) * 2, word(1) + word(MODULUS - 3)))
g1_points = st.one_of(multiples, multiples, multiples, bad_points)
g2_multiples = scalars.map(lambda scalar: g2_bytes(g2.multiply(G2, scalar % ORDER)))
g2_points = st.one_of(
    g2_multiples,
    g2_multiples,
    st.sampled_from((word(1) * 4, word(MODULUS) + g2_bytes(G2)[32:])),
)


def resized(data: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """The input whole, and sometimes cut or followed by more."""
    cut = st.builds(lambda content, keep: content[: max(0, len(content) - keep)], data, st.integers(1, 70))
    return st.one_of(data, data, data, cut, st.builds(bytes.__add__, data, st.binary(min_size=1, max_size=40)))


@few
@given(data=st.binary(max_size=300), number=st.sampled_from((2, 3, 4)), fork=BEFORE_OSAKA)
def test_hashes_and_identity_agree(agree: Agree, data: bytes, number: int, fork: str) -> None:
    """SHA-256, RIPEMD-160 and identity, priced by the word."""
    assert agree(number, data, fork).success


lengths = st.one_of(st.integers(0, 40), st.sampled_from((0, 1, 31, 32, 33, 64, 65, 96, 300, 1025, 2**64, 2**200)))
operands = st.one_of(st.binary(max_size=80), st.sampled_from((b"", bytes(40), b"\xff" * 40, b"\1" + bytes(64))))


@many
@given(claimed=st.tuples(lengths, lengths, lengths), body=st.tuples(operands, operands, operands), fork=EIP_2565)
def test_modular_powers_agree(
    agree: Agree, claimed: tuple[int, int, int], body: tuple[bytes, bytes, bytes], fork: str
) -> None:
    """Lengths that match the body, and lengths that do not."""
    agree(5, b"".join(map(word, map(len, body))) + b"".join(body), fork)
    agree(5, b"".join(map(word, claimed)) + b"".join(body), fork)


@few
@given(data=resized(st.builds(bytes.__add__, g1_points, g1_points)), fork=BEFORE_OSAKA)
def test_bn254_sums_agree(agree: Agree, data: bytes, fork: str) -> None:
    """Any two points, valid or not, missing bytes read as zero."""
    agree(6, data, fork)


@few
@given(point=g1_points, fork=BEFORE_OSAKA)
def test_bn254_sums_of_related_points_agree(agree: Agree, point: bytes, fork: str) -> None:
    """Doubling, adding the opposite, and adding infinity take paths of their own in the formulas."""
    opposite = point[:32] + word(-int.from_bytes(point[32:], "big") % MODULUS)
    for other in (point, opposite, bytes(64)):
        agree(6, point + other, fork)


@few
@given(data=resized(st.builds(bytes.__add__, g1_points, scalars.map(word))), fork=BEFORE_OSAKA)
def test_bn254_products_agree(agree: Agree, data: bytes, fork: str) -> None:
    """Scalars up to the largest word, below and above the group's order."""
    agree(7, data, fork)


@few
@given(
    data=resized(st.lists(st.builds(bytes.__add__, g1_points, g2_points), max_size=3).map(b"".join)), fork=BEFORE_OSAKA
)
def test_bn254_pairings_agree(agree: Agree, data: bytes, fork: str) -> None:
    """Products that are not one, infinity, and invalid points."""
    agree(8, data, fork)


@few
@given(a=st.integers(0, ORDER - 1), b=st.integers(0, ORDER - 1), fork=BEFORE_OSAKA)
def test_bn254_pairings_whose_product_is_one_agree(agree: Agree, a: int, b: int, fork: str) -> None:
    """e(aP, bQ) * e(-abP, Q) is one for all a and b."""
    left = g1_bytes(g1.multiply(G1, a)) + g2_bytes(g2.multiply(G2, b))
    right = g1_bytes(g1.multiply(G1, -a * b % ORDER)) + g2_bytes(G2)
    assert agree(8, left + right, fork).output == word(1)


@few
@given(
    rounds=st.integers(0, 40), body=st.binary(min_size=208, max_size=208), final=st.integers(0, 2), fork=BEFORE_OSAKA
)
def test_blake2f_agrees(agree: Agree, rounds: int, body: bytes, final: int, fork: str) -> None:
    """Any state, block and offset; the last byte must be 0 or 1."""
    assert agree(9, rounds.to_bytes(4, "big") + body + bytes([final]), fork).success == (final < 2)


@pytest.mark.parametrize("size", [0, 212, 214])
def test_blake2f_of_another_length_fails(agree: Agree, size: int) -> None:
    """Neither padded nor cut."""
    assert not agree(9, bytes(size), "cancun").success


@few
@given(digest=st.binary(min_size=32, max_size=32), secret=st.integers(1, GROUP_ORDER - 1), fork=BEFORE_OSAKA)
def test_signatures_are_recovered_alike(agree: Agree, digest: bytes, secret: int, fork: str) -> None:
    """The signer's address, also for the mirrored signature with s in the upper half."""
    signature = coincurve.PrivateKey.from_int(secret).sign_recoverable(digest, hasher=None)
    r, s, parity = signature[:32], int.from_bytes(signature[32:64], "big"), signature[64]
    ours = agree(1, digest + word(27 + parity) + r + word(s), fork)
    assert len(ours.output) == 32
    assert agree(1, digest + word(28 - parity) + r + word(GROUP_ORDER - s), fork).output == ours.output


edge_words = st.one_of(words, st.sampled_from((27, 28, GROUP_ORDER - 1, GROUP_ORDER, 27 << 248)))


@many
@given(
    data=resized(
        st.builds(
            lambda h, v, r, s: h + word(v) + word(r) + word(s),
            st.binary(min_size=32, max_size=32),
            st.one_of(st.integers(26, 29), edge_words),
            edge_words,
            edge_words,
        )
    ),
    fork=BEFORE_OSAKA,
)
def test_arbitrary_signatures_agree(agree: Agree, data: bytes, fork: str) -> None:
    """Mostly unrecoverable: no output, yet success."""
    assert agree(1, data, fork).success


spellings = st.sampled_from(
    (POINT_AT_INFINITY, b"\xe0" + bytes(47), b"\xc0" + bytes(46) + b"\1", b"\x40" + bytes(47), bytes(48), b"\xff" * 48)
)  # fmt: skip


@few
@given(
    z=words, y=st.one_of(st.integers(0, BLS_MODULUS), words), proof=st.one_of(st.just(POINT_AT_INFINITY), spellings),
    commitment=st.one_of(st.none(), st.none(), spellings), fork=st.sampled_from(("cancun", "prague")),
)  # fmt: skip
def test_point_evaluations_agree(
    agree: Agree, z: int, y: int, proof: bytes, commitment: bytes | None, fork: str
) -> None:
    """A commitment to the constant y has the point at infinity for its proof; other spellings of points are refused."""
    constant = (G1Point() * Scalar.from_be_bytes_mod_order(word(y))).to_compressed_bytes()
    chosen = commitment or constant
    versioned_hash = b"\1" + hashlib.sha256(chosen).digest()[1:]
    ours = agree(0x0A, versioned_hash + word(z) + word(y) + chosen + proof, fork)
    valid = max(z, y) < BLS_MODULUS and proof == POINT_AT_INFINITY and chosen == constant
    assert ours.success == valid
