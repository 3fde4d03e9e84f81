"""How far the two sides of a comparison are apart, as the native loop counts it."""

from __future__ import annotations

from simulator.fuzz.native.nearness import EXACT
from simulator.transaction import WORD_MAX


def distance_class(left: int, right: int) -> int:
    """Exact where it is little, else grows with the number of bits."""
    distance = min((left - right) & WORD_MAX, (right - left) & WORD_MAX)
    return distance if distance < EXACT else EXACT + distance.bit_length() - EXACT.bit_length()
