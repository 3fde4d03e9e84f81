"""Workers' notes on the health of a campaign, over all of them and all their processes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from actors.coverage.code_cells import Cells, CodeCells
from simulator.coverage.code_coverage import COUNT_MASK
from simulator.errors import FrameError
from simulator.health.observations import (
    FunctionRevert,
    Observations,
    RareCells,
    SeenOperands,
    TestActivity,
    add_activities,
    join_operands,
)
from simulator.health.rare_cells import RARE
from simulator.worker.reports import Observed

MAX_REVERTS = 1 << 14
MAX_OPERANDS = 1 << 14

Place = tuple[CodeCells, int]
LiveCells = dict[int, dict[CodeCells, Cells]]


class ObservationBook:
    """Codes are numbered by each worker for itself; `code_of` knows them, and raises `FrameError` for others. Past the
    limits what is new is left out."""

    def __init__(self, code_of: Callable[[int, int], CodeCells]) -> None:
        self._code_of = code_of
        self._live: dict[int, Observed] = {}
        self._rare: dict[int, dict[CodeCells, RareCells]] = {}
        self._activities: tuple[TestActivity, ...] = ()
        self._reverts: dict[tuple[int, str, str], Place | None] = {}
        self._operands: dict[tuple[CodeCells, int], SeenOperands] = {}
        self._sequences = self._calls = 0
        self._growth: tuple[tuple[int, int], ...] = ()
        self._growth_calls = 0

    def take(self, worker: int, frame: Observed) -> None:
        """Take the notes of a worker's process."""
        for seen in frame.reverts:
            place = self._place(worker, seen.code, seen.cell) if seen.cell >= 0 else None
            if len(self._reverts) < MAX_REVERTS:
                self._reverts.setdefault((seen.function, seen.reason, seen.place), place)
        for operands in frame.operands:
            key = (self._code_of(worker, operands.code), operands.pc)
            known = self._operands.get(key)
            if known is not None:
                self._operands[key] = join_operands(known, operands)
            elif len(self._operands) < MAX_OPERANDS:
                self._operands[key] = operands
        self._rare[worker] = {self._rare_code(worker, rare): rare for rare in frame.rare}
        self._live[worker] = frame
        if frame.calls >= self._growth_calls:
            self._growth, self._growth_calls = frame.growth, frame.calls

    def retire(self, worker: int) -> None:
        """The worker's process is gone; what it noted stays."""
        frame = self._live.pop(worker, None)
        self._rare.pop(worker, None)
        if frame is not None:
            self._activities = add_activities(self._activities, frame.activities)
            self._sequences += frame.sequences
            self._calls += frame.calls

    def reverts(self, live: LiveCells) -> tuple[FunctionRevert, ...]:
        """Reasons of reverts alone. `live` are the cells of the workers' present processes."""
        return tuple(
            FunctionRevert(function, reason, place, _times(where, live))
            for (function, reason, place), where in self._reverts.items()
        )

    def observations(self, codes: list[CodeCells], live: LiveCells) -> Observations:
        """Everything noted so far. `live` are the cells of the workers' present processes."""
        activities = self._activities
        for frame in self._live.values():
            activities = add_activities(activities, frame.activities)
        return Observations(
            tests=activities,
            reverts=self.reverts(live),
            operands={(code.map, pc): seen for (code, pc), seen in self._operands.items()},
            growth=self._growth,
            growth_calls=self._growth_calls,
            hits=self._hits(codes, live),
            sequences=self._sequences + sum(frame.sequences for frame in self._live.values()),
            calls=self._calls + sum(frame.calls for frame in self._live.values()),
        )

    def _place(self, worker: int, number: int, cell: int) -> Place:
        code = self._code_of(worker, number)
        if not 0 <= cell < code.map.cells:
            raise FrameError(f"{code.map.contract}: cell {cell} of {code.map.cells}")
        return code, cell

    def _rare_code(self, worker: int, rare: RareCells) -> CodeCells:
        code = self._code_of(worker, rare.code)
        if (
            len(rare.cells) != 4 * len(rare.hits)
            or len(rare.cells) % 4
            or int(np.frombuffer(rare.cells, "<u4").max(initial=0)) >= code.map.cells
        ):
            raise FrameError(f"{code.map.contract}: rare cells that are no cells of it, or without their counts")
        return code

    def _hits(self, codes: list[CodeCells], live: LiveCells) -> tuple[int, int, int]:
        """Return how many cells random calls have hit once, twice, and at all. What a process that is gone has hit
        counts as hit often: how often is not known."""
        once = twice = places = 0
        for code in codes:
            often = RARE + 1
            total = np.where(code.base & np.uint64(COUNT_MASK), often, 0)
            for worker, totals in live.items():
                if code in totals:
                    total = total + self._hits_of(worker, code, totals[code], often)
            once += int((total == 1).sum())
            twice += int((total == 2).sum())
            places += int((total > 0).sum())
        return once, twice, places

    def _hits_of(self, worker: int, code: CodeCells, totals: Cells, often: int) -> npt.NDArray[np.int64]:
        hits = np.where(totals & np.uint64(COUNT_MASK), often, 0)
        rare = self._rare.get(worker, {}).get(code)
        if rare is not None:
            cells, counts = np.frombuffer(rare.cells, "<u4"), np.frombuffer(rare.hits, "u1")
            hits[cells] = counts
        return hits


def _times(where: Place | None, live: LiveCells) -> int:
    """Return how often a cell was hit."""
    if where is None:
        return 0
    code, cell = where
    parts = [code.base, *(totals[code] for totals in live.values() if code in totals)]
    return sum(int(cells[cell]) & COUNT_MASK for cells in parts)
