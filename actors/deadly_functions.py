"""Functions that workers die of, whatever the arguments: after a second sequence it is the function that is left out.

Otherwise a campaign on a contract with one such function would spend its restarts on variants of the same death.
"""

from __future__ import annotations

from collections import Counter

from actors.coverage_tracker import CoverageTracker
from simulator.transaction import Sequence

SEQUENCES = 2


class DeadlyFunctions:
    """`tracker` knows which function a call is of."""

    def __init__(self, tracker: CoverageTracker) -> None:
        self._tracker = tracker
        self._counts: Counter[str] = Counter()

    def blame(self, sequence: Sequence) -> str | None:
        """Workers died of the last call of this sequence. Returns the function (`Contract.signature`) that is to be
        called no more, None while there is no telling."""
        info = self._tracker.function_of(sequence[-1])
        if info is None:
            return None
        name = f"{info.contract}.{info.signature}"
        self._counts[name] += 1
        return name if self._counts[name] >= SEQUENCES else None
