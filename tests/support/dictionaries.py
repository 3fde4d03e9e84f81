"""Dictionaries for tests of generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from simulator.abi.types import AbiType, Value


@dataclass(frozen=True)
class EmptyDictionary:
    """Knows nothing."""

    def pick(self, abi_type: AbiType, rng: Random) -> Value | None:
        return None

    def addresses(self) -> Sequence[int]:
        return ()
