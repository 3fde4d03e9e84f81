"""Choice of the function that a fresh call is made of: weights, exclusions, and the share of prioritized functions."""

from __future__ import annotations

from simulator.fuzz.generation.call_templates import FunctionTable
from simulator.fuzz.loop.fuzz_context import FuzzContext
from simulator.fuzz.targets.target import TargetFunction
from simulator.settings import PRIORITY_SHARE

_OF = 1024


class FunctionChoice:
    """Owns the choice tables of the fuzz context. Functions are named as `TargetFunction.is_named` understands."""

    def __init__(self, context: FuzzContext, table: FunctionTable, targets: list[TargetFunction]) -> None:
        self._context = context
        self._table = table
        self._targets = list(targets)
        self._prioritized: tuple[str, ...] = ()
        self._excluded: tuple[str, ...] = ()
        self._factors: tuple[tuple[str, float], ...] = ()
        self._chance = PRIORITY_SHARE
        self._write()

    def add(self, targets: list[TargetFunction]) -> None:
        """Draw from these as well; what was said of their names holds for them."""
        self._targets += targets
        self._write()

    def focus(
        self,
        prioritized: tuple[str, ...],
        excluded: tuple[str, ...],
        factors: tuple[tuple[str, float], ...],
        chance: float = PRIORITY_SHARE,
    ) -> bool:
        """Replace what was said before. Exclusions that would leave nothing to call have no effect; the answer is then
        False. A name that occurs twice among `factors` counts with both. `chance`, 0..1, is the share of calls that
        are drawn from the prioritized functions."""
        self._prioritized, self._excluded, self._factors, self._chance = prioritized, excluded, factors, chance
        return self._write()

    def _write(self) -> bool:
        if not self._targets:
            return False
        weights = [self._weight(target) for target in self._targets]
        possible = any(weight > 0 for weight in weights)
        if not possible:
            weights = [target.weight for target in self._targets]
        if not any(weights):
            weights = [1.0] * len(weights)  # nothing is ever drawn
        self._context.choose_from(weights)
        for target in self._targets:
            self._table.exclude(target.index, possible and self._is_any(target, self._excluded))
        chosen = [
            1.0 if weight > 0 and self._is_any(target, self._prioritized) else 0.0
            for target, weight in zip(self._targets, weights, strict=True)
        ]
        self._context.prefer(chosen, round(_OF * min(1.0, self._chance)) if any(chosen) else 0)
        return possible

    def _weight(self, target: TargetFunction) -> float:
        if self._is_any(target, self._excluded):
            return 0.0
        weight = target.weight
        for name, factor in self._factors:
            if target.is_named(name):
                weight *= factor
        return weight

    @staticmethod
    def _is_any(target: TargetFunction, names: tuple[str, ...]) -> bool:
        return any(map(target.is_named, names))
