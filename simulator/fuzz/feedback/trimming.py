"""Cutting a sequence that brought coverage down to the calls that matter for it."""

from __future__ import annotations

from simulator.fuzz.feedback.features import Cells, FeatureSet, same_features
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.transaction import Sequence

MAX_EXECUTIONS = 200


class Trimmer:
    """Drops calls while the features that a sequence brought still appear.

    Features that do not come back when the whole sequence is executed again (those of property calls) are not asked
    for. Deterministic, and bounded by `MAX_EXECUTIONS` executions per sequence.
    """

    def __init__(self, engine: FuzzEngine, features: FeatureSet) -> None:
        self._engine = engine
        self._features = features
        self._executions = 0

    def trim(self, sequence: Sequence, new: dict[int, Cells]) -> Sequence | None:
        """The shortest sequence found that brings what the whole one brings of `new`; None when that is nothing."""
        self._executions = 0
        wanted = self._brought(sequence, new)
        best = self._drop_chunks(sequence, new, wanted) if any(cells.any() for cells in wanted.values()) else None
        self._features.restore(new)
        return best

    def _drop_chunks(self, best: Sequence, new: dict[int, Cells], wanted: dict[int, Cells]) -> Sequence:
        chunk = max(1, len(best) // 2)
        while chunk >= 1:
            start = len(best)
            while start > 0 and self._executions < MAX_EXECUTIONS:
                start = max(0, start - chunk)
                shorter = best[:start] + best[start + chunk :]
                if shorter and same_features(self._brought(shorter, new), wanted):
                    best = shorter
            chunk //= 2
        return best

    def _brought(self, sequence: Sequence, new: dict[int, Cells]) -> dict[int, Cells]:
        self._executions += 1
        self._features.forget(new)
        self._engine.execute(sequence, check=False)
        return self._features.present(new)
