"""How far the two sides of a comparison are apart, as the native loop counts it."""

from __future__ import annotations

from simulator.fuzz.native.nearness import EXACT, EXACT_BITS, STEPS
from simulator.transaction import WORD_MAX


def distance_class(left: int, right: int) -> int:
    """Exact where it is little, else the number of bits and two below the first."""
    distance = min((left - right) & WORD_MAX, (right - left) & WORD_MAX)
    if distance < EXACT:
        return distance
    bits = distance.bit_length()
    return EXACT + STEPS * (bits - EXACT_BITS - 1) + (distance >> (bits - 3) & 3)
