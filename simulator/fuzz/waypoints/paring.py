"""Cutting a waypoint down to the calls that matter for what it came nearer to."""

from __future__ import annotations

from typing import assert_never

from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.comparisons.effort import Effort
from simulator.fuzz.feedback.features import Cells
from simulator.fuzz.feedback.open_blocks import OpenBlocks
from simulator.fuzz.feedback.trimming import Trimmer, drop_calls
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.fuzz.loop.near import Near, NearKind
from simulator.transaction import WORD_MAX, Sequence

MAX_EXECUTIONS = 64
Place = tuple[int, int]
"""Code id and program counter of a comparison."""
Pair = tuple[int, int]
"""Its two sides."""


class Paring:
    """Executes sequences to see how near they come."""

    def __init__(
        self,
        engine: FuzzEngine,
        trimmer: Trimmer,
        effort: Effort,
        open_blocks: OpenBlocks,
        oracles: list[Oracle],
    ) -> None:
        self._engine = engine
        self._trimmer = trimmer
        self._effort = effort
        self._open_blocks = open_blocks
        self._oracles = {oracle.id: oracle for oracle in oracles}

    def pare(self, sequence: Sequence, near: Near, new: dict[int, Cells]) -> Sequence | None:
        """The calls that matter, None where the sequence does not come near again. `new` are the features that it
        brought."""
        if near.kind is not NearKind.BRANCH and near.oracle not in self._oracles:
            return None  # what is called after all tests is no test
        match near.kind:
            case NearKind.COVERAGE:
                asked = self._engine.properties.call(self._oracles[near.oracle])
                trimmed = self._trimmer.trim((*sequence, asked), new)
                return trimmed[:-1] if trimmed is not None and trimmed[-1] == asked else None
            case NearKind.PROPERTY:
                return self._pare(sequence, near)
            case NearKind.BRANCH:
                return self._pare(sequence, near) if self._open_blocks.is_open(*near.place) else None
            case _:
                assert_never(near.kind)

    def pairs(self, sequence: Sequence, near: Near) -> dict[Place, Pair]:
        """The two sides that came closest and differ, of each comparison of the property, or of the one at the
        branch."""
        self._effort.spend()
        if near.kind is NearKind.BRANCH:
            compared = self._engine.observe(sequence, 1)[1]
            compared = [each for each in compared if (each.code, each.program_counter) == near.place]
        else:
            asked = self._engine.properties.call(self._oracles[near.oracle])
            compared = self._engine.observe((*sequence, asked), 1)[1]
        found: dict[Place, Pair] = {}
        for each in compared:
            if each.left != each.right:
                place, pair = (each.code, each.program_counter), (each.left, each.right)
                found[place] = min(found.get(place, pair), pair, key=apart)
        return found

    def _pare(self, sequence: Sequence, near: Near) -> Sequence | None:
        wanted = self.pairs(sequence, near)
        if not wanted:
            return None

        def is_enough(shorter: Sequence) -> bool:
            if near.kind is NearKind.BRANCH and shorter[-1] != sequence[-1]:
                return False
            found = self.pairs(shorter, near)
            return all(
                place in found and (found[place] == pair or apart(found[place]) < apart(pair))
                for place, pair in wanted.items()
            )

        return drop_calls(sequence, is_enough, MAX_EXECUTIONS)


def apart(pair: Pair) -> int:
    """The distance of two words, around zero."""
    left, right = pair
    return min((left - right) & WORD_MAX, (right - left) & WORD_MAX)
