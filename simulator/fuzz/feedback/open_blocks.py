"""Blocks of code that end in a branch of which one side was never taken: there comparisons are worth coming nearer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from simulator.coverage.code_map import CodeMap
from simulator.fuzz.feedback.features import CodeCells
from simulator.fuzz.native.layout.context import OPEN_SIZE, OPEN_SPREAD

Numbers = npt.NDArray[np.intp]


class OpenBlocks:
    """Keeps the flags that the native loop looks at. Two program counters may share one: that costs accuracy only."""

    def __init__(self, flags: npt.NDArray[np.uint8], codes: Callable[[], CodeCells]) -> None:
        self._flags = flags
        self._codes = codes
        self._places: dict[int, tuple[Numbers, Numbers]] = {}

    def update(self, changed: Iterable[int]) -> None:
        """The cells of these codes have changed."""
        codes = self._codes()
        for number in changed:
            covered = codes[number]
            places, branches = self._places_of(number, covered.map)
            if places.size:
                sides = covered.cells[len(covered.map.block_starts) :].reshape(-1, 2) != 0
                is_open = sides[:, 0] != sides[:, 1]
                self._flags[places[~is_open[branches]]] = 0
                self._flags[places[is_open[branches]]] = 1

    def is_open(self, code: int, program_counter: int) -> bool:
        """Return whether a comparison there can still decide otherwise than ever."""
        return bool(self._flags[(program_counter + OPEN_SPREAD * code) & (OPEN_SIZE - 1)])

    def _places_of(self, number: int, code: CodeMap) -> tuple[Numbers, Numbers]:
        known = self._places.get(number)
        if known is None:
            places: list[int] = []
            branches: list[int] = []
            for index, jump in enumerate(code.branches):
                start = _start_of(code, jump)
                places += [(pc + OPEN_SPREAD * number) & (OPEN_SIZE - 1) for pc in range(start, jump)]
                branches += [index] * (jump - start)
            known = self._places[number] = np.array(places, np.intp), np.array(branches, np.intp)
        return known


def _start_of(code: CodeMap, jump: int) -> int:
    """Where the block that ends in a branch begins, or the block before it, where that has no branch: the last operand
    of `&&` is compared in a block of its own, which the branch on the result follows."""
    index = bisect_right(code.block_starts, jump) - 1
    start = code.block_starts[index]
    if index == 0 or code.block_ends[index - 1] != start:
        return start
    before = code.block_starts[index - 1]
    place = bisect_right(code.branches, before)
    has_branch = place < len(code.branches) and code.branches[place] < start
    return start if has_branch else before
