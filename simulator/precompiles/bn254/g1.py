"""The group G1: points of y**2 = x**3 + 3 over Fp. Every point of the curve is in it, since its cofactor is 1."""

from __future__ import annotations

from simulator.precompiles.bn254.field import MODULUS, inverse

Affine = tuple[int, int] | None  # None is the point at infinity
Jacobian = tuple[int, int, int]  # (X / Z**2, Y / Z**3); Z = 0 is the point at infinity

INFINITY: Jacobian = (1, 1, 0)


def is_on_curve(x: int, y: int) -> bool:
    return (y * y - x * x * x - 3) % MODULUS == 0


def add(a: Affine, b: Affine) -> Affine:
    return to_affine(_add(_to_jacobian(a), _to_jacobian(b)))


def multiply(point: Affine, scalar: int) -> Affine:
    """The point times a scalar >= 0 of any size."""
    base = _to_jacobian(point)
    result = INFINITY
    for bit in bin(scalar)[2:]:
        result = _double(result)
        if bit == "1":
            result = _add(result, base)
    return to_affine(result)


def to_affine(point: Jacobian) -> Affine:
    x, y, z = point
    if z == 0:
        return None
    factor = inverse(z)
    square = factor * factor % MODULUS
    return x * square % MODULUS, y * square * factor % MODULUS


def _to_jacobian(point: Affine) -> Jacobian:
    return (*point, 1) if point else INFINITY


def _double(point: Jacobian) -> Jacobian:
    """The formulas "dbl-2009-l" of the Explicit-Formulas Database. Infinity doubles to infinity."""
    x, y, z = point
    xx, yy = x * x, y * y % MODULUS
    s = 4 * x * yy % MODULUS
    slope = 3 * xx
    double_x = (slope * slope - 2 * s) % MODULUS
    return double_x, (slope * (s - double_x) - 8 * yy * yy) % MODULUS, 2 * y * z % MODULUS


def _add(a: Jacobian, b: Jacobian) -> Jacobian:
    """The formulas "add-1998-cmo-2", with the cases they leave out."""
    if a[2] == 0:
        return b
    if b[2] == 0:
        return a
    a_square, b_square = a[2] * a[2] % MODULUS, b[2] * b[2] % MODULUS
    a_x, b_x = a[0] * b_square % MODULUS, b[0] * a_square % MODULUS
    a_y, b_y = a[1] * b_square * b[2] % MODULUS, b[1] * a_square * a[2] % MODULUS
    run, rise = (b_x - a_x) % MODULUS, (b_y - a_y) % MODULUS
    if run == 0:
        return INFINITY if rise else _double(a)
    run_square = run * run % MODULUS
    run_cube, base = run * run_square % MODULUS, a_x * run_square % MODULUS
    x = (rise * rise - run_cube - 2 * base) % MODULUS
    return x, (rise * (base - x) - a_y * run_cube) % MODULUS, a[2] * b[2] * run % MODULUS
