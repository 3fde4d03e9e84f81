"""What all frames are made of."""

from __future__ import annotations

from typing import Literal

import msgspec

TestKind = Literal["property", "assertion", "call", "optimization", "exploration", "crash"]
DoneReason = Literal["finished", "falsified", "interrupted"]
Features = tuple[tuple[int, bytes], ...]
"""Code id, and little-endian uint32s `16 * cell + bit`: bits 0..7 for call depths, 8..15 for outcomes; bit 0 for the
side of a JUMPI."""


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all frames."""
