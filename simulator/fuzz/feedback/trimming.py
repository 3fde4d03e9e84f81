"""Cutting a sequence that brought something down to the calls that matter for it."""

from __future__ import annotations

from collections.abc import Callable

from simulator.fuzz.feedback.features import Cells, FeatureSet, same_features
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.transaction import Sequence

MAX_EXECUTIONS = 200
SHORT = 4
"""Calls from which on it is worth looking first whether the last one is enough: mostly it is."""


def drop_calls(sequence: Sequence, is_enough: Callable[[Sequence], bool], most: int = MAX_EXECUTIONS) -> Sequence:
    """The shortest sequence found, by dropping calls in chunks, that is enough; it is asked `most` times at most."""
    asked = 0
    best = sequence
    if len(sequence) > SHORT:
        asked += 1
        if is_enough(sequence[-1:]):
            return sequence[-1:]
    chunk = max(1, len(best) // 2)
    while chunk >= 1:
        start = len(best)
        while start > 0 and asked < most:
            start = max(0, start - chunk)
            shorter = best[:start] + best[start + chunk :]
            if shorter:
                asked += 1
                if is_enough(shorter):
                    best = shorter
        chunk //= 2
    return best


class Trimmer:
    """Drops calls while the features that a sequence brought still appear.

    Features that do not come back when the whole sequence is executed again (those of property calls) are not asked
    for. Deterministic, and bounded by `MAX_EXECUTIONS` executions per sequence.
    """

    def __init__(self, engine: FuzzEngine, features: FeatureSet) -> None:
        self._engine = engine
        self._features = features

    def trim(self, sequence: Sequence, new: dict[int, Cells]) -> Sequence | None:
        """The shortest sequence found that brings what the whole one brings of `new`; None when that is nothing."""
        wanted = self._brought(sequence, new)
        best: Sequence | None = None
        if any(cells.any() for cells in wanted.values()):
            best = drop_calls(
                sequence, lambda shorter: same_features(self._brought(shorter, new), wanted), MAX_EXECUTIONS - 1
            )
        self._features.restore(new)
        return best

    def _brought(self, sequence: Sequence, new: dict[int, Cells]) -> dict[int, Cells]:
        self._features.forget(new)
        self._engine.execute(sequence, check=False)
        return self._features.present(new)
