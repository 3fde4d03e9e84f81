"""Arithmetic of BN254's fields: Fp, Fp2 = Fp[i]/(i**2 + 1), Fp6 = Fp2[v]/(v**3 - XI), Fp12 = Fp6[w]/(w**2 - v).

Elements are plain tuples of integers and products are reduced once, at their end: this is where a pairing spends its
time. Sums are left unreduced: a coefficient may be negative or exceed the modulus by a small factor. Canonical, and fit
for comparison, is what `reduced_2` to `reduced_12`, an inversion or a product in Fp2 or Fp6 returned.
"""

from __future__ import annotations

MODULUS = 21888242871839275222246405745257275088696311157297823662689037894645226208583

Fp2 = tuple[int, int]  # real and imaginary part
Fp6 = tuple[int, int, int, int, int, int]  # of 1, v and v**2, each real then imaginary
Fp12 = tuple[Fp6, Fp6]  # of 1 and w

XI: Fp2 = (9, 1)
ONE_2: Fp2 = (1, 0)
ZERO_6: Fp6 = (0, 0, 0, 0, 0, 0)
ONE_12: Fp12 = ((1, 0, 0, 0, 0, 0), ZERO_6)


def inverse(a: int) -> int:
    """1/a; `ValueError` for zero."""
    return pow(a, -1, MODULUS)


def add_2(a: Fp2, b: Fp2) -> Fp2:
    return a[0] + b[0], a[1] + b[1]


def subtract_2(a: Fp2, b: Fp2) -> Fp2:
    return a[0] - b[0], a[1] - b[1]


def reduced_2(a: Fp2) -> Fp2:
    return a[0] % MODULUS, a[1] % MODULUS


def conjugate_2(a: Fp2) -> Fp2:
    return a[0], -a[1]


def scale_2(a: Fp2, factor: int) -> Fp2:
    """An element times one of Fp."""
    return a[0] * factor % MODULUS, a[1] * factor % MODULUS


def multiply_2(a: Fp2, b: Fp2) -> Fp2:
    real, imaginary = a[0] * b[0], a[1] * b[1]
    cross = (a[0] + a[1]) * (b[0] + b[1]) - real - imaginary
    return (real - imaginary) % MODULUS, cross % MODULUS


def square_2(a: Fp2) -> Fp2:
    return (a[0] + a[1]) * (a[0] - a[1]) % MODULUS, 2 * a[0] * a[1] % MODULUS


def inverse_2(a: Fp2) -> Fp2:
    """1/a; `ValueError` for zero."""
    factor = inverse(a[0] * a[0] + a[1] * a[1])
    return a[0] * factor % MODULUS, -a[1] * factor % MODULUS


def power_2(a: Fp2, exponent: int) -> Fp2:
    """a ** exponent, exponent >= 0."""
    result = ONE_2
    for bit in bin(exponent)[2:]:
        result = square_2(result)
        if bit == "1":
            result = multiply_2(result, a)
    return result


def _wide(a_real: int, a_imaginary: int, b_real: int, b_imaginary: int) -> Fp2:
    """A product in Fp2, not reduced."""
    real, imaginary = a_real * b_real, a_imaginary * b_imaginary
    return real - imaginary, (a_real + a_imaginary) * (b_real + b_imaginary) - real - imaginary


def add_6(a: Fp6, b: Fp6) -> Fp6:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


def subtract_6(a: Fp6, b: Fp6) -> Fp6:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]


def negate_6(a: Fp6) -> Fp6:
    return -a[0], -a[1], -a[2], -a[3], -a[4], -a[5]


def reduced_6(a: Fp6) -> Fp6:
    return a[0] % MODULUS, a[1] % MODULUS, a[2] % MODULUS, a[3] % MODULUS, a[4] % MODULUS, a[5] % MODULUS


def times_v(a: Fp6) -> Fp6:
    """a * v, where v**3 is XI = 9 + i."""
    return 9 * a[4] - a[5], 9 * a[5] + a[4], a[0], a[1], a[2], a[3]


def multiply_6(a: Fp6, b: Fp6) -> Fp6:
    """Karatsuba over the three coefficients, six products in Fp2 instead of nine."""
    a0, a1, a2, a3, a4, a5 = a
    b0, b1, b2, b3, b4, b5 = b
    p, q = _wide(a0, a1, b0, b1)
    r, s = _wide(a2, a3, b2, b3)
    t, u = _wide(a4, a5, b4, b5)
    high, high_i = _wide(a2 + a4, a3 + a5, b2 + b4, b3 + b5)
    low, low_i = _wide(a0 + a2, a1 + a3, b0 + b2, b1 + b3)
    outer, outer_i = _wide(a0 + a4, a1 + a5, b0 + b4, b1 + b5)
    high, high_i = high - r - t, high_i - s - u  # the coefficient of v**3
    return (
        (p + 9 * high - high_i) % MODULUS,
        (q + 9 * high_i + high) % MODULUS,
        (low - p - r + 9 * t - u) % MODULUS,
        (low_i - q - s + 9 * u + t) % MODULUS,
        (outer - p - t + r) % MODULUS,
        (outer_i - q - u + s) % MODULUS,
    )


def multiply_6_by_line(a: Fp6, slope: Fp2, offset: Fp2) -> Fp6:
    """a * (slope + offset * v)."""
    a0, a1, a2, a3, a4, a5 = a
    b0, b1 = slope
    b2, b3 = offset
    p, q = _wide(a0, a1, b0, b1)
    r, s = _wide(a2, a3, b2, b3)
    low, low_i = _wide(a0 + a2, a1 + a3, b0 + b2, b1 + b3)
    t, u = _wide(a4, a5, b2, b3)
    end, end_i = _wide(a4, a5, b0, b1)
    return (
        (p + 9 * t - u) % MODULUS,
        (q + 9 * u + t) % MODULUS,
        (low - p - r) % MODULUS,
        (low_i - q - s) % MODULUS,
        (r + end) % MODULUS,
        (s + end_i) % MODULUS,
    )


def inverse_6(a: Fp6) -> Fp6:
    """1/a; `ValueError` for zero. By the norm to Fp2: Beuchat et al., eprint 2010/354, algorithm 17."""
    c0, c1, c2 = (a[0], a[1]), (a[2], a[3]), (a[4], a[5])
    x = subtract_2(square_2(c0), multiply_2(XI, multiply_2(c1, c2)))
    y = subtract_2(multiply_2(XI, square_2(c2)), multiply_2(c0, c1))
    z = subtract_2(square_2(c1), multiply_2(c0, c2))
    twisted = multiply_2(XI, add_2(multiply_2(c2, y), multiply_2(c1, z)))
    factor = inverse_2(add_2(multiply_2(c0, x), twisted))
    return (*multiply_2(x, factor), *multiply_2(y, factor), *multiply_2(z, factor))


def multiply_12(a: Fp12, b: Fp12) -> Fp12:
    low, high = multiply_6(a[0], b[0]), multiply_6(a[1], b[1])
    cross = multiply_6(add_6(a[0], a[1]), add_6(b[0], b[1]))
    return add_6(low, times_v(high)), subtract_6(subtract_6(cross, low), high)


def square_12(a: Fp12) -> Fp12:
    half = multiply_6(a[0], a[1])
    both = multiply_6(add_6(a[0], a[1]), add_6(a[0], times_v(a[1])))
    return subtract_6(subtract_6(both, half), times_v(half)), add_6(half, half)


def multiply_12_by_line(a: Fp12, slope: Fp2, offset: Fp2) -> Fp12:
    """a * (1 + slope * w + offset * w**3), the shape of a line of the Miller loop."""
    low, high = a
    return (
        add_6(low, times_v(multiply_6_by_line(high, slope, offset))),
        add_6(high, multiply_6_by_line(low, slope, offset)),
    )


def conjugate_12(a: Fp12) -> Fp12:
    """a ** (MODULUS ** 6). On the group that pairings live in, it is 1/a."""
    return a[0], negate_6(a[1])


def inverse_12(a: Fp12) -> Fp12:
    """1/a; `ValueError` for zero."""
    norm = subtract_6(multiply_6(a[0], a[0]), times_v(multiply_6(a[1], a[1])))
    factor = inverse_6(norm)
    return multiply_6(a[0], factor), multiply_6(negate_6(a[1]), factor)


def reduced_12(a: Fp12) -> Fp12:
    """The canonical form, to be compared."""
    return reduced_6(a[0]), reduced_6(a[1])


FROBENIUS = tuple(power_2(XI, power * (MODULUS - 1) // 6) for power in range(6))


def frobenius_12(a: Fp12) -> Fp12:
    """a ** MODULUS: conjugate each coefficient, and w ** k gains the factor XI ** (k * (MODULUS - 1) / 6)."""
    low, high = a
    return (
        (
            *multiply_2((low[0], -low[1]), FROBENIUS[0]),
            *multiply_2((low[2], -low[3]), FROBENIUS[2]),
            *multiply_2((low[4], -low[5]), FROBENIUS[4]),
        ),
        (
            *multiply_2((high[0], -high[1]), FROBENIUS[1]),
            *multiply_2((high[2], -high[3]), FROBENIUS[3]),
            *multiply_2((high[4], -high[5]), FROBENIUS[5]),
        ),
    )
