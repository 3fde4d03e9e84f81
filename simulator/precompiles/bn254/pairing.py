"""The optimal ate pairing on BN254: Vercauteren, eprint 2008/096; Beuchat et al., eprint 2010/354.

Miller's loop walks multiples of the G2 point and evaluates the lines it draws at the G1 point. The lines depend on the
G2 point alone, so they are kept: the G2 points of a verifier contract are mostly its constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from simulator.precompiles.bn254.field import (
    MODULUS,
    ONE_12,
    Fp2,
    Fp12,
    conjugate_12,
    frobenius_12,
    inverse,
    inverse_12,
    multiply_2,
    multiply_12,
    multiply_12_by_line,
    reduced_2,
    reduced_12,
    scale_2,
    square_12,
    subtract_2,
)
from simulator.precompiles.bn254.g2 import (
    PARAMETER,
    Point,
    chord_slope,
    endomorphism,
    negate,
    tangent_slope,
    third_point,
)

Line = tuple[Fp2, Fp2]  # slope, and slope * x - y of a point on it
Pair = tuple[tuple[int, int], Point]


def _non_adjacent_form(number: int) -> list[int]:
    """Digits -1, 0, 1 of a positive number, most significant first, no two neighbours of them non-zero."""
    digits = []
    while number:
        digit = 2 - number % 4 if number % 2 else 0
        digits.append(digit)
        number = (number - digit) // 2
    return digits[::-1]


LOOP_DIGITS = _non_adjacent_form(6 * PARAMETER + 2)[1:]


def _schedule() -> Iterator[bool]:
    """For each line of the loop, in order: is the value squared before?"""
    for digit in LOOP_DIGITS:
        yield True
        if digit:
            yield False
    yield from (False, False)


SCHEDULE = tuple(_schedule())


@lru_cache(maxsize=64)
def lines_of(q: Point) -> tuple[Line, ...]:
    """The lines of Miller's loop for a point of the subgroup, one for each entry of `SCHEDULE`.

    No two points added are equal or opposite: they are different small multiples of a point of large prime order.
    """
    lines: list[Line] = []

    def draw(slope: Fp2) -> None:
        lines.append((slope, reduced_2(subtract_2(multiply_2(slope, walker[0]), walker[1]))))

    def step(addend: Point) -> Point:
        slope = chord_slope(walker, addend)
        draw(slope)
        return third_point(walker, addend, slope)

    walker, opposite = q, negate(q)
    for digit in LOOP_DIGITS:
        slope = tangent_slope(walker)
        draw(slope)
        walker = third_point(walker, walker, slope)
        if digit:
            walker = step(q if digit > 0 else opposite)
    once = endomorphism(q)
    walker = step(once)
    step(negate(endomorphism(once)))
    return tuple(lines)


def miller_loop(pairs: Sequence[Pair]) -> Fp12:
    """The product of the pairs' Miller values, up to factors that the final exponentiation removes: each line
    y - slope x w + (slope x_T - y_T) w**3 is divided by y, which lies in Fp and is not zero."""
    points = []
    for (x, y), q in pairs:
        y_inverse = inverse(y)
        points.append((lines_of(q), -x * y_inverse % MODULUS, y_inverse))
    value = ONE_12
    for index, squared in enumerate(SCHEDULE):
        if squared:
            value = square_12(value)
        for lines, x_factor, y_factor in points:
            slope, offset = lines[index]
            value = multiply_12_by_line(value, scale_2(slope, x_factor), scale_2(offset, y_factor))
    return value


def final_exponentiation(value: Fp12) -> Fp12:
    """value ** ((p**12 - 1) / r), canonical. `ValueError` for zero, which no Miller loop yields."""
    value = multiply_12(conjugate_12(value), inverse_12(value))
    value = multiply_12(frobenius_12(frobenius_12(value)), value)
    return reduced_12(_hard_part(value))


def _hard_part(f: Fp12) -> Fp12:
    """f ** ((p**4 - p**2 + 1) / r), over powers of the parameter u: Scott et al., eprint 2008/490, section 5."""
    f_u = _power_of_parameter(f)
    f_u2 = _power_of_parameter(f_u)
    f_u3 = _power_of_parameter(f_u2)
    f_p = frobenius_12(f)
    f_p2 = frobenius_12(f_p)
    y0 = multiply_12(multiply_12(f_p, f_p2), frobenius_12(f_p2))
    y1 = conjugate_12(f)
    y2 = frobenius_12(frobenius_12(f_u2))
    y3 = conjugate_12(frobenius_12(f_u))
    y4 = conjugate_12(multiply_12(f_u, frobenius_12(f_u2)))
    y5 = conjugate_12(f_u2)
    y6 = conjugate_12(multiply_12(f_u3, frobenius_12(f_u3)))
    # y0 * y1**2 * y2**6 * y3**12 * y4**18 * y5**30 * y6**36
    a = multiply_12(multiply_12(square_12(y6), y4), y5)
    b = multiply_12(multiply_12(y3, y5), a)
    b = square_12(multiply_12(square_12(b), multiply_12(a, y2)))
    return multiply_12(square_12(multiply_12(b, y1)), multiply_12(b, y0))


def _power_of_parameter(f: Fp12) -> Fp12:
    result = f
    for bit in bin(PARAMETER)[3:]:
        result = square_12(result)
        if bit == "1":
            result = multiply_12(result, f)
    return result


def product_of_pairings_is_one(pairs: Sequence[Pair]) -> bool:
    """Points are affine, on their curves, of the right order and none at infinity. The empty product is one."""
    return final_exponentiation(miller_loop(pairs)) == ONE_12
