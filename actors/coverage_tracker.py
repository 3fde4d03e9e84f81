"""The coverage tracker: the union of all workers' coverage cells, per code.

Workers number codes each for themselves and send totals of their process. Here a code is known by its map, that is by
contract, kind and shape; a worker that is replaced starts at zero, so the totals of its former process are added to a
base that stays. All methods are synchronous and cost microseconds a frame; nothing else touches the state, so there is
no mailbox to overflow.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import msgspec

from simulator.coverage.code_coverage import COUNT_MASK, CodeCoverage
from simulator.coverage.code_map import CodeMap
from simulator.errors import FrameError
from simulator.worker.protocol import Coverage, FunctionCounts

MAX_CODES = 16_384
MAX_CELLS = 1 << 22


class CoverageStatistics(msgspec.Struct, frozen=True):
    """`points`: block and depth pairs, outcomes of blocks, and JUMPI sides seen by any worker. `codes` with any cell
    covered, of `known` codes. `frames` received."""

    points: int
    codes: int
    known: int
    frames: int


class _Code:
    """Union state of one code. `seen` holds the masks of each cell with bit 0 for "was hit"."""

    def __init__(self, code: CodeMap) -> None:
        self.map = code
        self.base = array("Q", bytes(8 * code.cells))
        self.seen = array("I", bytes(4 * code.cells))
        self.points = 0

    def see(self, cell: int, mask: int) -> None:
        before = self.seen[cell]
        self.seen[cell] = before | mask
        self.points += _points(before | mask) - _points(before)


class CoverageSnapshot:
    """Copies of all workers' totals, of their present and former processes. Merging them takes milliseconds; it may be
    done in any thread."""

    def __init__(self, parts: tuple[tuple[CodeMap, tuple[array[int], ...]], ...]) -> None:
        self._parts = parts

    def codes(self) -> tuple[CodeCoverage, ...]:
        """The union per code, in the order in which codes appeared."""
        merged = []
        for code_map, (union, *others) in self._parts:
            cells = array("Q", union)
            for totals in others:
                _merge_into(cells, totals)
            merged.append(CodeCoverage.from_cells(code_map, cells))
        return tuple(merged)


class CoverageTracker:
    """One for a campaign. Raises `FrameError` for frames that contradict the maps; the worker is then replaced."""

    def __init__(self) -> None:
        self._codes: dict[CodeMap, _Code] = {}
        self._numbers: dict[int, dict[int, _Code]] = {}
        self._live: dict[int, dict[_Code, array[int]]] = {}
        self._function_base: list[tuple[int, int]] = []
        self._function_live: dict[int, FunctionCounts] = {}
        self._frames = 0

    def begin(self, worker: int, codes: tuple[CodeMap, ...]) -> None:
        """A process of this worker is ready and knows these codes; what its predecessor counted stays."""
        self.retire(worker)
        self._numbers[worker] = {}
        self._live[worker] = {}
        for number, code in enumerate(codes):
            self.add_code(worker, number, code)

    def add_code(self, worker: int, number: int, code_map: CodeMap) -> None:
        """A process of this worker calls this code `number` from now on."""
        code = self._codes.get(code_map)
        if code is None:
            if len(self._codes) >= MAX_CODES or code_map.cells > MAX_CELLS:
                raise FrameError(f"{code_map.contract}: more codes or cells than a campaign can hold")
            code = self._codes[code_map] = _Code(code_map)
        self._numbers.setdefault(worker, {})[number] = code
        self._live.setdefault(worker, {}).setdefault(code, array("Q", bytes(8 * code_map.cells)))

    def absorb(self, worker: int, frame: Coverage) -> None:
        """Take the totals of one frame."""
        code = self._numbers.get(worker, {}).get(frame.code)
        if code is None:
            raise FrameError(f"coverage of code {frame.code}, which worker {worker} has not introduced")
        self._frames += 1
        live = self._live[worker][code]
        for cell, total in _cells(frame):
            if cell >= len(live):
                raise FrameError(f"{code.map.contract}: cell {cell} of {len(live)}")
            live[cell] = total
            mask = _seen_mask(total)
            if mask & ~code.seen[cell]:
                code.see(cell, mask)

    def count_functions(self, worker: int, frame: FunctionCounts) -> None:
        """Take the totals per function of this worker's process."""
        self._function_live[worker] = frame

    def retire(self, worker: int) -> None:
        """The worker's process is gone; its counts become part of the base."""
        for code, live in self._live.pop(worker, {}).items():
            _merge_into(code.base, live)
        self._numbers.pop(worker, None)
        self._function_base = _add_counts(self._function_base, self._function_live.pop(worker, None))

    def snapshot(self) -> CoverageSnapshot:
        """The state of this moment: copies memory, microseconds a code."""
        parts = []
        for code_map, code in self._codes.items():
            totals = [array("Q", lives[code]) for lives in self._live.values() if code in lives]
            parts.append((code_map, (array("Q", code.base), *totals)))
        return CoverageSnapshot(tuple(parts))

    def function_counts(self) -> tuple[tuple[int, int], ...]:
        """(calls, reverts) of each function of `Ready.functions`, over all workers."""
        totals = self._function_base
        for frame in self._function_live.values():
            totals = _add_counts(totals, frame)
        return tuple(totals)

    def statistics(self) -> CoverageStatistics:
        covered = [code.points for code in self._codes.values() if code.points]
        return CoverageStatistics(sum(covered), len(covered), len(self._codes), self._frames)


def _cells(frame: Coverage) -> Iterator[tuple[int, int]]:
    indexes, totals = array("I"), array("Q")
    if len(frame.cells) % 4 or len(frame.counts) != 2 * len(frame.cells):
        raise FrameError(f"coverage frame with {len(frame.cells)} bytes of cells and {len(frame.counts)} of counts")
    indexes.frombytes(frame.cells)
    totals.frombytes(frame.counts)
    return zip(indexes, totals, strict=True)


def _seen_mask(total: int) -> int:
    """Bit 0: hit at all; bits 1..8: depths; bits 9..16: outcomes."""
    return (total >> 47) & 0x1FFFE | (1 if total else 0)


def _points(mask: int) -> int:
    """A hit cell is at least one point; a block is one for each depth and each outcome."""
    depths, outcomes = mask >> 1 & 0xFF, mask >> 9 & 0xFF
    return (mask & 1 and max(1, depths.bit_count())) + outcomes.bit_count()


def _merge(one: int, other: int) -> int:
    """Cells of the kernel: counts add up, masks above them unite."""
    count = min((one & COUNT_MASK) + (other & COUNT_MASK), COUNT_MASK)
    return count | ((one | other) & ~COUNT_MASK)


def _merge_into(union: array[int], totals: array[int]) -> None:
    for cell, total in enumerate(totals):
        if total:
            union[cell] = _merge(union[cell], total)


def _add_counts(totals: list[tuple[int, int]], frame: FunctionCounts | None) -> list[tuple[int, int]]:
    if frame is None:
        return totals
    pairs = list(zip(frame.calls, frame.reverts, strict=False))
    size = max(len(totals), len(pairs))
    padded = totals + [(0, 0)] * (size - len(totals))
    added = pairs + [(0, 0)] * (size - len(pairs))
    return [(a + c, b + d) for (a, b), (c, d) in zip(padded, added, strict=True)]
