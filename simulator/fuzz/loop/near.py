"""Reasons for which the native loop made a sequence a waypoint."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from simulator.fuzz.native.layout import context


class NearKind(IntEnum):
    """The numbers are the native loop's."""

    COVERAGE = context.NEAR_COVERAGE
    PROPERTY = context.NEAR_PROPERTY
    BRANCH = context.NEAR_BRANCH


@dataclass(frozen=True)
class Near:
    """`at` is the index of the call after which a property (the oracle with id `oracle`) reached new code or came
    nearer, or of the call whose comparison, at `place` (code id and program counter), did."""

    kind: NearKind
    at: int
    oracle: int = -1
    place: tuple[int, int] = (0, 0)
