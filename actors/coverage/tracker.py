"""The coverage tracker: the union of all workers' coverage cells, per code, and what each function was called for.

Workers number codes each for themselves and send totals of their process. Here a code is known by its map, that is by
contract, kind and shape; a worker that is replaced starts at zero, so the totals of its former process are added to a
base that stays. All methods are synchronous and cost well under a millisecond a frame, by numpy; nothing else touches
the state, so there is no mailbox to overflow. Lines, branches and LCOV are made of snapshots (`coverage_reader`).
"""

from __future__ import annotations

import msgspec
import numpy as np

from actors.coverage.code_cells import Cells, CodeCells, merge, read_frame
from actors.coverage.feature_numbers import FeatureNumbers
from actors.coverage.function_table import FunctionCoverage, FunctionCoverageTable, FunctionTotals
from actors.coverage.observations import ObservationBook
from actors.coverage.places import NewPlace, PlaceBook
from simulator.corpus.feature_index import feature_set
from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.code_map import CodeMap
from simulator.errors import FrameError
from simulator.health.observations import FunctionRevert, Observations
from simulator.transaction import Transaction
from simulator.worker.frame import Features
from simulator.worker.reports import Coverage, FunctionCounts, FunctionInfo, Observed, Ready

MAX_CODES = 16_384
MAX_CELLS = 1 << 22


class CoverageStatistics(msgspec.Struct, frozen=True):
    """`points`: block and depth pairs, outcomes of blocks, and JUMPI sides seen by any worker. `codes` with any cell
    covered, of `known` codes. `frames` received. `features` that any corpus entry was measured to cover."""

    points: int
    codes: int
    known: int
    frames: int
    features: int = 0


class CoverageSnapshot:
    """Copies of all workers' totals, of their present and former processes. Merging them takes milliseconds; it may be
    done in any thread."""

    def __init__(self, parts: tuple[tuple[CodeMap, tuple[Cells, ...]], ...], frames: int = 0) -> None:
        self._parts = parts
        self.frames = frames

    def codes(self) -> tuple[CodeCoverage, ...]:
        """The union per code, in the order in which codes appeared."""
        merged = []
        for code_map, (cells, *others) in self._parts:
            for totals in others:
                cells = merge(cells, totals)
            merged.append(CodeCoverage.from_cells(code_map, cells))
        return tuple(merged)


class CoverageTracker:
    """One for a campaign. Raises `FrameError` for frames that contradict the maps; the worker is then replaced."""

    def __init__(self) -> None:
        self._codes: dict[CodeMap, CodeCells] = {}
        # To hash a map is to hash thousands of numbers; snapshots and reports hand out the very objects of `_codes`.
        self._by_identity: dict[int, CodeCells] = {}
        self._numbers: dict[int, dict[int, CodeCells]] = {}
        self._live: dict[int, dict[CodeCells, Cells]] = {}
        self._functions = FunctionCoverageTable()
        self._features = FeatureNumbers()
        self._observations = ObservationBook(self._code)
        self._frames = 0
        self.places = PlaceBook()

    # --- what workers say --------------------------------------------------------------------------------------------

    def begin(self, worker: int, codes: tuple[CodeMap, ...], ready: Ready | None = None) -> None:
        """A process of this worker is ready and knows these codes; what its predecessor counted stays."""
        self.retire(worker)
        self._numbers[worker] = {}
        self._live[worker] = {}
        for number, code in enumerate(codes):
            self.add_code(worker, number, code)
        if ready is not None:
            self._functions.introduce(ready)

    def add_code(self, worker: int, number: int, code_map: CodeMap) -> None:
        """A process of this worker calls this code `number` from now on."""
        code = self._codes.get(code_map)
        if code is None:
            if len(self._codes) >= MAX_CODES or code_map.cells > MAX_CELLS:
                raise FrameError(f"{code_map.contract}: more codes or cells than a campaign can hold")
            code = self._codes[code_map] = CodeCells(len(self._codes), code_map)
            self._by_identity[id(code_map)] = code
        self._numbers.setdefault(worker, {})[number] = code
        self._live.setdefault(worker, {}).setdefault(code, np.zeros(code_map.cells, np.uint64))

    def absorb(self, worker: int, frame: Coverage) -> None:
        """Take the totals of one frame."""
        code = self._code(worker, frame.code)
        cells, totals = read_frame(frame, code.map.cells, code.map.contract)
        self._frames += 1
        self._live[worker][code][cells] = totals
        code.see(cells, totals)

    def count_functions(self, worker: int, frame: FunctionCounts) -> None:
        """Take the totals per function of this worker's process."""
        self._functions.count(worker, frame)

    def observe(self, worker: int, frame: Observed) -> None:
        """Take a worker's notes on the health of the campaign."""
        self._observations.take(worker, frame)

    def restore_functions(self, totals: tuple[FunctionTotals, ...]) -> None:
        """Add what an earlier campaign counted; once a worker has begun."""
        self._functions.restore(totals)

    def cover_function(self, call: Transaction, now: float) -> None:
        """A sequence that ends with this call was the first to reach something; `now` is trio's time."""
        self._functions.cover(call, now)

    def function_of(self, call: Transaction) -> FunctionInfo | None:
        """The function of the target that is called, None where that is not clear."""
        return self._functions.function_of(call)

    def feature_set(self, worker: int, features: Features) -> int:
        """A worker's measurement, as bits of the campaign's feature numbers (`simulator.corpus.feature_index`)."""
        numbers: list[int] = []
        for number, found in features:
            code = self._code(worker, number)
            numbers += self._features.of(code.index, code.map, found)
        return feature_set(numbers)

    def new_place(self, worker: int, features: Features) -> NewPlace:
        """The first place that a measurement has and the campaign has not; to be asked before `feature_set`."""
        first = NewPlace()
        for number, found in features:
            code = self._code(worker, number)
            if cells := self._features.fresh(code.index, found):
                place = self.places.place_of(code.map, code.index, cells)
                if place.location:
                    return place
                first = first if first.cells else place
        return first

    def place_at(self, code: int, cells: tuple[int, ...]) -> NewPlace:
        """The place of new cells of the code of this number, now that more of the sources is mapped."""
        found = next((each.map for each in self._codes.values() if each.index == code), None)
        return self.places.place_of(found, code, cells) if found is not None else NewPlace()

    def retire(self, worker: int) -> None:
        """The worker's process is gone; its counts become part of the base."""
        for code, live in self._live.pop(worker, {}).items():
            code.base = merge(code.base, live)
        self._numbers.pop(worker, None)
        self._functions.retire(worker)
        self._observations.retire(worker)

    def _code(self, worker: int, number: int) -> CodeCells:
        code = self._numbers.get(worker, {}).get(number)
        if code is None:
            raise FrameError(f"coverage of code {number}, which worker {worker} has not introduced")
        return code

    # --- what others read --------------------------------------------------------------------------------------------

    def snapshot(self) -> CoverageSnapshot:
        """The state of this moment: copies memory, microseconds a code."""
        parts = []
        for code_map, code in self._codes.items():
            totals = [lives[code].copy() for lives in self._live.values() if code in lives]
            parts.append((code_map, (code.base, *totals)))
        return CoverageSnapshot(tuple(parts), self._frames)

    def features_at(self, code: CodeMap, cell: int) -> tuple[int, ...]:
        """Feature numbers at a cell, for `CorpusReader.nearest`; none for a code that no worker has."""
        known = self._by_identity.get(id(code)) or self._codes.get(code)
        return self._features.at(known.index, cell) if known is not None else ()

    def function_counts(self) -> tuple[tuple[int, int], ...]:
        """(calls, reverts) of each function of `Ready.functions`, over all workers."""
        return self._functions.counts()

    def functions(self) -> tuple[FunctionCoverage, ...]:
        """Calls, reverts and last coverage of each function of the target, over all workers and their processes."""
        return self._functions.statistics()

    def observations(self) -> Observations:
        """Workers' notes on the health of the campaign, over all of them. Takes up to milliseconds."""
        return self._observations.observations(list(self._codes.values()), self._live)

    def reverts(self) -> tuple[FunctionRevert, ...]:
        """Why calls of functions reverted, of those notes."""
        return self._observations.reverts(self._live)

    def statistics(self) -> CoverageStatistics:
        covered = [code.points for code in self._codes.values() if code.points]
        return CoverageStatistics(sum(covered), len(covered), len(self._codes), self._frames, len(self._features))
