"""The group G2: the points of prime order on the twisted curve y**2 = x**3 + 3/XI over Fp2."""

from __future__ import annotations

from simulator.precompiles.bn254.field import (
    FROBENIUS,
    XI,
    Fp2,
    add_2,
    conjugate_2,
    inverse_2,
    multiply_2,
    reduced_2,
    scale_2,
    square_2,
    subtract_2,
)

Point = tuple[Fp2, Fp2]  # affine, canonical; infinity is None where it may occur

PARAMETER = 4965661367192848881  # u of the BN family: modulus and order are polynomials in it
TRACE_MINUS_ONE = 6 * PARAMETER**2
ZERO: Fp2 = (0, 0)
TWIST_COEFFICIENT = scale_2(inverse_2(XI), 3)


def is_on_curve(x: Fp2, y: Fp2) -> bool:
    right = add_2(multiply_2(square_2(x), x), TWIST_COEFFICIENT)
    return reduced_2(subtract_2(square_2(y), right)) == ZERO


def tangent_slope(point: Point) -> Fp2:
    """Of a point that is not of order 2, which has no y = 0: the twisted curve's group has odd order."""
    x, y = point
    return multiply_2(scale_2(square_2(x), 3), inverse_2(add_2(y, y)))


def chord_slope(a: Point, b: Point) -> Fp2:
    """Of two points with different x."""
    return multiply_2(subtract_2(a[1], b[1]), inverse_2(subtract_2(a[0], b[0])))


def third_point(a: Point, b: Point, slope: Fp2) -> Point:
    """The sum of two points, given the slope of the line through them."""
    x = reduced_2(subtract_2(subtract_2(square_2(slope), a[0]), b[0]))
    return x, reduced_2(subtract_2(multiply_2(slope, subtract_2(a[0], x)), a[1]))


def negate(point: Point) -> Point:
    x, y = point
    return x, reduced_2((-y[0], -y[1]))


def add(a: Point | None, b: Point | None) -> Point | None:
    """The group law, all cases."""
    if a is None or b is None:
        return a or b
    if a[0] != b[0]:
        return third_point(a, b, chord_slope(a, b))
    return third_point(a, a, tangent_slope(a)) if a[1] == b[1] else None


def multiply(point: Point | None, scalar: int) -> Point | None:
    """The point times a scalar >= 0."""
    result: Point | None = None
    for bit in bin(scalar)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def endomorphism(point: Point) -> Point:
    """Frobenius, carried from the curve over Fp12 to the twist: untwist, raise coordinates to the modulus, twist."""
    x, y = point
    return multiply_2(conjugate_2(x), FROBENIUS[2]), multiply_2(conjugate_2(y), FROBENIUS[3])


def is_in_subgroup(point: Point) -> bool:
    """Has this point of the curve the prime order r?

    The endomorphism f satisfies f**2 - t f + p = 0 on the whole curve, t being the trace. If f(Q) = (t - 1) Q, this
    gives (p + 1 - t) Q = r Q = 0; and on the subgroup f is multiplication by p, which is t - 1 modulo r. So the test
    is exact, with a scalar of half the length of r.
    """
    return multiply(point, TRACE_MINUS_ONE) == endomorphism(point)
