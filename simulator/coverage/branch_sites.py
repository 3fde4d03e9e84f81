"""The branches of one code: where they stand in the sources and which cells count their sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.coverage.branch_kinds import BranchKind, branch_kind
from simulator.coverage.branch_sides import SideFinder
from simulator.coverage.code_map import CodeMap
from simulator.coverage.declarations import FunctionDeclaration
from simulator.coverage.hidden_requires import HiddenRequire, find_hidden_requires
from simulator.coverage.source_map import SourceRange
from simulator.coverage.source_text import SourceText

_JUMPI = 0x57


@dataclass(frozen=True, slots=True)
class BranchSite:
    """A branch of the source and the cells of its sides: condition true, condition false. When `is_total` is set the
    second cell counts evaluations instead. `length` is 0 for a `require`, whose jumps have ranges of several kinds."""

    path: str
    start: int
    length: int
    line: int
    kind: BranchKind
    contract: str
    cells: tuple[int, int]
    is_total: bool = False

    def counts(self, cells: Sequence[int]) -> tuple[int, int]:
        """Return how often the condition was true and false, from the counts of all cells of the code."""
        true, second = cells[self.cells[0]], cells[self.cells[1]]
        return (true, max(second - true, 0)) if self.is_total else (true, second)


def find_branches(
    code_map: CodeMap, code: bytes, aligned: Sequence[tuple[int, SourceRange]], sources: Mapping[int, SourceText]
) -> tuple[BranchSite, ...]:
    """All branches of a code, given its instructions with their ranges; copies of a function repeat them."""
    finder = _BranchFinder(code_map, code, aligned, sources)
    finder.visit_jumps()
    finder.visit_hidden_requires()
    return finder.sites()


class _BranchFinder:
    def __init__(
        self,
        code_map: CodeMap,
        code: bytes,
        aligned: Sequence[tuple[int, SourceRange]],
        sources: Mapping[int, SourceText],
    ) -> None:
        self._map = code_map
        self._code = code
        self._aligned = aligned
        self._sources = sources
        self._sides = SideFinder(code, aligned)
        self._jumps = {pc: index for index, pc in enumerate(code_map.branches)}
        self._sites: list[BranchSite] = []

    def visit_jumps(self) -> None:
        """Jumps whose range is the branch itself."""
        for pc, found in self._aligned:
            source = self._sources.get(found.file) if pc in self._jumps else None
            function = source.function_at(found.start) if source is not None else None
            if source is None or function is None or not function.has_statement(found.start, found.end):
                continue
            if kind := branch_kind(source.data, found.start, found.end):
                cells = self._cells(pc, found, kind, source, function)
                self._add(source, function, found.start, 0 if kind == "require" else found.length, kind, cells)

    def visit_hidden_requires(self) -> None:
        """Visit the `require`s of statements that have no jump of their own range."""
        direct = {(site.path, site.start) for site in self._sites if site.kind == "require"}
        for hidden in find_hidden_requires(self._code, self._aligned, self._sources):
            source = self._sources[hidden.file]
            function = source.function_at(hidden.start)
            if function is not None and (source.path, hidden.start) not in direct:
                self._add_hidden(hidden, source, function)

    def sites(self) -> tuple[BranchSite, ...]:
        return _without_first_rounds(self._sites, {source.path: source.data for source in self._sources.values()})

    def _cells(
        self, pc: int, found: SourceRange, kind: BranchKind, source: SourceText, function: FunctionDeclaration
    ) -> tuple[int, int]:
        """Cells of a JUMPI: condition true, condition false."""
        through, jump = self._map.branch_cells(self._jumps[pc])
        return (
            (jump, through) if self._sides.jumps_when_true(pc, found, kind, source.data, function) else (through, jump)
        )

    def _add_hidden(self, hidden: HiddenRequire, source: SourceText, function: FunctionDeclaration) -> None:
        if hidden.jump is not None:
            if hidden.jump in self._jumps:
                place = SourceRange(hidden.start, 0, hidden.file, "-")
                cells = self._cells(hidden.jump, place, "require", source, function)
                self._add(source, function, hidden.start, 0, "require", cells, line_at=hidden.condition)
            return
        passed, call = self._map.block_at(hidden.passed), self._map.block_at(hidden.call)
        if passed is not None and call is not None:
            self._add(source, function, hidden.start, 0, "require", (passed, call), is_total=True)

    def _add(
        self,
        source: SourceText,
        function: FunctionDeclaration,
        start: int,
        length: int,
        kind: BranchKind,
        cells: tuple[int, int],
        *,
        line_at: int | None = None,
        is_total: bool = False,
    ) -> None:
        line = source.lines.line(start if line_at is None else line_at)
        self._sites.append(BranchSite(source.path, start, length, line, kind, function.contract, cells, is_total))


def _without_first_rounds(branches: list[BranchSite], data: Mapping[str, bytes]) -> tuple[BranchSite, ...]:
    """The IR pipeline gives a do loop a jump of its own that only skips the condition in the first round; it has the
    loop's whole range, while the real jump has the condition's."""
    loops = [branch for branch in branches if branch.kind == "loop"]
    do_loops = [loop for loop in loops if data[loop.path].startswith(b"do", loop.start)]
    doubles = {id(loop) for loop in do_loops if any(_is_condition_of(other, loop, data[loop.path]) for other in loops)}
    return tuple(branch for branch in branches if id(branch) not in doubles)


def _is_condition_of(condition: BranchSite, loop: BranchSite, data: bytes) -> bool:
    """Return whether one loop branch is the bare condition at the end of the do loop that is the other."""
    if condition.path != loop.path or not loop.start < condition.start < loop.start + loop.length:
        return False
    tail = data[condition.start + condition.length : loop.start + loop.length]
    return tail.strip() in (b")", b");")
