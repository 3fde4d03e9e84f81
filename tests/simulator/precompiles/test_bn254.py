"""BN254's group laws and pairing, checked by their algebra."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.precompiles.bn254 import field, g2
from simulator.precompiles.bn254.field import MODULUS, ONE_12, Fp2, Fp12
from simulator.precompiles.bn254.pairing import final_exponentiation, miller_loop

ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617
COFACTOR = 2 * MODULUS - ORDER  # of the twisted curve's group over the subgroup
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
elements = st.integers(0, MODULUS - 1)
fp6 = st.tuples(elements, elements, elements, elements, elements, elements)
fp12 = st.tuples(fp6, fp6)


def _power(base: Fp12, exponent: int) -> Fp12:
    result = ONE_12
    for bit in bin(exponent)[2:]:
        result = field.square_12(result)
        if bit == "1":
            result = field.multiply_12(result, base)
    return field.reduced_12(result)


def _square_root(value: Fp2) -> Fp2 | None:
    """By the norm: (u + v i)**2 = value gives u**2 = (real + |value|) / 2."""
    norm = (value[0] ** 2 + value[1] ** 2) % MODULUS
    length = pow(norm, (MODULUS + 1) // 4, MODULUS)
    for sign in (length, -length):
        u = pow((value[0] + sign) * pow(2, -1, MODULUS), (MODULUS + 1) // 4, MODULUS)
        if u:
            root = u, value[1] * pow(2 * u, -1, MODULUS) % MODULUS
            if field.square_2(root) == value:
                return root
    return None


def _points_of_the_twist(seed: int, count: int) -> list[g2.Point]:
    """Points of random x: only one in 2**254 of them would have the prime order."""
    source = random.Random(seed)
    points: list[g2.Point] = []
    while len(points) < count:
        x = source.randrange(MODULUS), source.randrange(MODULUS)
        right = field.add_2(field.multiply_2(field.square_2(x), x), g2.TWIST_COEFFICIENT)
        y = _square_root(field.reduced_2(right))
        if y is not None:
            points.append((x, y))
    return points


@settings(max_examples=30, deadline=None)
@given(a=fp12, b=fp12, c=fp12)
def test_the_field_of_degree_twelve_is_a_field(a: Fp12, b: Fp12, c: Fp12) -> None:
    """Squares, inverses, Frobenius and the distributive law, on canonical forms."""
    product = field.multiply_12(a, b)
    assert field.reduced_12(field.square_12(a)) == field.reduced_12(field.multiply_12(a, a))
    sum_bc = (field.add_6(b[0], c[0]), field.add_6(b[1], c[1]))
    parts = product, field.multiply_12(a, c)
    added = field.add_6(parts[0][0], parts[1][0]), field.add_6(parts[0][1], parts[1][1])
    assert field.reduced_12(field.multiply_12(a, sum_bc)) == field.reduced_12(added)
    if a != (field.ZERO_6, field.ZERO_6):
        assert field.reduced_12(field.multiply_12(product, field.inverse_12(a))) == field.reduced_12(b)
    left = field.frobenius_12(product)
    right = field.multiply_12(field.frobenius_12(a), field.frobenius_12(b))
    assert field.reduced_12(left) == field.reduced_12(right)


def test_frobenius_is_the_power_of_the_modulus() -> None:
    """The shortcut by conjugation equals the power itself."""
    value = miller_loop([(G1, G2)])
    assert field.reduced_12(field.frobenius_12(value)) == _power(value, MODULUS)


def test_the_final_exponentiation_is_the_power_it_stands_for() -> None:
    """(p**12 - 1) / r, computed by plain squaring and multiplying."""
    value = miller_loop([(G1, G2)])
    assert final_exponentiation(value) == _power(value, (MODULUS**12 - 1) // ORDER)


def test_a_pairing_has_the_prime_order() -> None:
    """It is not one, and its r-th power is."""
    pairing = final_exponentiation(miller_loop([(G1, G2)]))
    assert pairing != ONE_12
    assert _power(pairing, ORDER) == ONE_12


def test_points_of_the_twist_outside_the_subgroup_are_told_apart() -> None:
    """The fast test agrees with multiplying by the order, before and after clearing the cofactor."""
    for point in _points_of_the_twist(seed=3, count=5):
        assert g2.is_on_curve(*point)
        assert g2.multiply(point, ORDER) is not None
        assert not g2.is_in_subgroup(point)
        cleared = g2.multiply(point, COFACTOR)
        assert cleared is not None
        assert g2.multiply(cleared, ORDER) is None
        assert g2.is_in_subgroup(cleared)


def test_points_of_small_order_are_outside_the_subgroup() -> None:
    """The cofactor is divisible by 10069 and 5864401, so such points exist; they walk the group law's rare cases."""
    for small in (10069, 5864401):
        assert COFACTOR % small == 0
        (point,) = _points_of_the_twist(seed=small, count=1)
        torsion = g2.multiply(point, ORDER * (COFACTOR // small))
        assert torsion is not None
        assert g2.multiply(torsion, small) is None
        assert not g2.is_in_subgroup(torsion)
