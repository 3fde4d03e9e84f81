"""Adaptive minimisation of one integer: the smallest one that still makes a predicate true.

No predicate is taken to be monotone. A bisection finds bounds; steps that keep a remainder find what is left of a
modulus; numbers that a program compares with are asked first. (The model is Hypothesis' shrinker, MacIver and
Donaldson, "Test-Case Reduction via Test-Case Generation", ECOOP 2020.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isqrt

Fails = Callable[[int], bool]
GALLOP = (248, 192, 128, 64, 32, 16, 8, 4, 1)
NEIGHBOURS = (-1, 0, 1)


@dataclass(frozen=True)
class Guide:
    """Questions about a number besides a bisection.

    `small` numbers from 1 on are tried one by one, because harnesses reduce arguments modulo few actors or choices.
    `values` are tried with their neighbours, `offsets` are distances worth going. Steps of 2 to `scan`, and `steps`
    besides, are tried as distances that may be gone many times, except for numbers that are `pinned`: something is
    asked to be equal to them, so that no step keeps what matters.
    """

    small: int = 8
    scan: int = 0
    values: tuple[int, ...] = ()
    offsets: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    pinned: frozenset[int] = frozenset()

    def candidates(self, value: int) -> list[int]:
        """Numbers below `value` to try, the smallest first."""
        near = {known + step for known in self.values for step in NEIGHBOURS}
        near |= {value - abs(offset) + step for offset in self.offsets for step in NEIGHBOURS}
        return sorted(number for number in near if self.small < number < value)

    def distances(self, value: int) -> Iterable[int]:
        """Steps that may keep what matters of a number, without 1."""
        return () if value in self.pinned else dict.fromkeys((*range(2, self.scan + 1), *self.steps))


QUICK = Guide()


def find_integer(holds: Callable[[int], bool], limit: int) -> int:
    """The largest n up to `limit` that a bisection finds to hold; 0 is taken to hold."""
    if limit <= 0 or not holds(1):
        return 0
    if limit == 1 or holds(limit):
        return limit
    low, high, probe = 1, limit, 2
    while probe < high:
        if not holds(probe):
            high = probe
            break
        low, probe = probe, probe * probe
    while high - low > 1:
        middle = isqrt(low * high) if high > 4 * low else (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def minimize_integer(value: int, fails: Fails, guide: Guide = QUICK) -> int:
    """The smallest natural number up to `value` that is found to fail, `value` itself being known to.

    Asking again about a number that is as small as it gets is cheap.
    """
    if value <= 0 or fails(0):
        return 0 if value > 0 else value
    while True:
        smaller = _lowered(value, fails, guide)
        if smaller == value:
            return value
        value = smaller


def _lowered(value: int, fails: Fails, guide: Guide) -> int:
    """One round of everything; equal to `value` when nothing helped."""
    for small in range(1, min(guide.small + 1, value)):
        if fails(small):
            return small
    value = next((number for number in guide.candidates(value) if fails(number)), value)
    value = _subtracted(value, 1, fails)
    value = _galloped(value, fails)
    for step in guide.distances(value):
        value = _subtracted(value, step, fails)
    return value


def _subtracted(value: int, step: int, fails: Fails) -> int:
    if step >= value:
        return value
    return value - step * find_integer(lambda count: fails(value - step * count), (value - 1) // step)


def _galloped(value: int, fails: Fails) -> int:
    for shift in GALLOP:
        if value >> shift > 1 and fails(value >> shift):
            return value >> shift
    return value


def minimize_signed(value: int, fails: Fails, guide: Guide = QUICK) -> int:
    """The number of least magnitude; of two, the positive one."""
    if value >= 0:
        return minimize_integer(value, fails, guide)
    if fails(0):
        return 0
    value = -minimize_integer(-value, lambda magnitude: fails(-magnitude), guide)
    for positive in dict.fromkeys((-value - 1, -value)):
        if fails(positive):
            return minimize_integer(positive, fails, guide)
    return value
