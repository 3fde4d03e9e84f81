"""Where the coverage cells of one code stand in the sources: a table that is built once and read at each report.

A line is executable when an instruction starts on it that belongs to a statement: it lies between the braces of a
function or modifier. Dispatcher, getters, entry and exit code, and code the compiler generates carry the range of a
contract, a function header or no file at all, and mark nothing (crytic/echidna#1102).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simulator.coverage.branch_kinds import BranchKind, branch_kind
from simulator.coverage.branch_sides import SideFinder
from simulator.coverage.code_map import CodeMap
from simulator.coverage.declarations import FunctionDeclaration
from simulator.coverage.source_map import SourceRange
from simulator.coverage.source_text import SourceText


@dataclass(frozen=True, slots=True)
class BranchSite:
    """A branch of the source and the cells of its sides: condition true, condition false."""

    path: str
    start: int
    length: int
    line: int
    kind: BranchKind
    contract: str
    cells: tuple[int, int]


@dataclass(slots=True)
class FunctionSite:
    """Cells that tell how often a function was entered: those of its entry code, and of its first statement."""

    path: str
    declaration: FunctionDeclaration
    line: int
    entry_cells: set[int] = field(default_factory=set)
    first_cells: set[int] = field(default_factory=set)
    first_start: int = -1

    def add_statement(self, cell: int, start: int) -> None:
        """Note a statement; those that come first in the source stay. Modifiers have a copy in each function."""
        if self.first_start < 0 or start < self.first_start:
            self.first_start = start
            self.first_cells.clear()
        if start == self.first_start:
            self.first_cells.add(cell)


@dataclass(slots=True)
class LineSite:
    """Cells whose instructions start on a line, and those in which a frame that ends there would end."""

    contract: str
    cells: set[int] = field(default_factory=set)
    last_cells: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class CodeSites:
    """All sites of a code. Lines and functions are keyed by path and then line, or start offset."""

    lines: dict[tuple[str, int], LineSite]
    functions: dict[tuple[str, int], FunctionSite]
    branches: tuple[BranchSite, ...]


def find_sites(
    code_map: CodeMap, code: bytes, aligned: Sequence[tuple[int, SourceRange]], sources: Mapping[int, SourceText]
) -> CodeSites:
    """Build the table of one code, given its instructions with their ranges. `sources` by source id."""
    finder = _SiteFinder(code_map, sources, SideFinder(code, aligned))
    for pc, source_range in aligned:
        finder.visit(pc, source_range)
    return finder.sites()


class _SiteFinder:
    def __init__(self, code_map: CodeMap, sources: Mapping[int, SourceText], sides: SideFinder) -> None:
        self._map = code_map
        self._sides = sides
        self._sources = sources
        self._branch_index = {pc: index for index, pc in enumerate(code_map.branches)}
        self._lines: dict[tuple[str, int], LineSite] = {}
        self._functions: dict[tuple[str, int], FunctionSite] = {}
        self._branches: list[BranchSite] = []
        self._last_line: dict[int, LineSite] = {}

    def visit(self, pc: int, source_range: SourceRange) -> None:
        source = self._sources.get(source_range.file)
        cell = self._block(pc)
        if source is None or cell is None:
            return
        function = source.function_at(source_range.start)
        if function is None:
            return
        site = self._function(source, function)
        if function.is_header_range(source_range.start, source_range.end):
            site.entry_cells.add(cell)
        elif function.has_statement(source_range.start, source_range.end) and not source.is_block(source_range.start):
            self._statement(pc, cell, source, site, source_range)

    def sites(self) -> CodeSites:
        for cell, line in self._last_line.items():
            line.last_cells.add(cell)
        return CodeSites(self._lines, self._functions, _without_first_rounds(self._branches, self._sources))

    def _block(self, pc: int) -> int | None:
        """The block of this program counter; bytes that no block covers are data."""
        index = bisect_right(self._map.block_starts, pc) - 1
        return index if index >= 0 and pc < self._map.block_ends[index] else None

    def _function(self, source: SourceText, declaration: FunctionDeclaration) -> FunctionSite:
        key = (source.path, declaration.start)
        if (site := self._functions.get(key)) is None:
            site = FunctionSite(source.path, declaration, source.lines.line(declaration.start))
            self._functions[key] = site
        return site

    def _statement(
        self, pc: int, cell: int, source: SourceText, function: FunctionSite, source_range: SourceRange
    ) -> None:
        contract = function.declaration.contract
        number = source.lines.line(source_range.start)
        line = self._lines.setdefault((source.path, number), LineSite(contract))
        line.cells.add(cell)
        self._last_line[cell] = line
        function.add_statement(cell, source_range.start)
        if (index := self._branch_index.get(pc)) is not None:
            self._branch(pc, index, number, source, function.declaration, source_range)

    def _branch(
        self,
        pc: int,
        index: int,
        line: int,
        source: SourceText,
        function: FunctionDeclaration,
        source_range: SourceRange,
    ) -> None:
        start, length = source_range.start, source_range.length
        kind = branch_kind(source.data, start, source_range.end)
        if kind is None:
            return
        through, jump = self._map.branch_cells(index)
        when_true = self._sides.jumps_when_true(pc, source_range, kind, source.data, function)
        cells = (jump, through) if when_true else (through, jump)
        self._branches.append(BranchSite(source.path, start, length, line, kind, function.contract, cells))


def _without_first_rounds(branches: list[BranchSite], sources: Mapping[int, SourceText]) -> tuple[BranchSite, ...]:
    """The IR pipeline gives a do loop a jump of its own that only skips the condition in the first round; it has the
    loop's whole range, while the real jump has the condition's."""
    data = {source.path: source.data for source in sources.values()}
    loops = [branch for branch in branches if branch.kind == "loop"]
    doubles = {id(loop) for loop in loops if any(_is_condition_of(other, loop, data[loop.path]) for other in loops)}
    return tuple(branch for branch in branches if id(branch) not in doubles)


def _is_condition_of(condition: BranchSite, loop: BranchSite, data: bytes) -> bool:
    """Whether one loop branch is the bare condition at the end of the do loop that is the other."""
    if condition.path != loop.path or not loop.start < condition.start < loop.start + loop.length:
        return False
    tail = data[condition.start + condition.length : loop.start + loop.length]
    return data.startswith(b"do", loop.start) and tail.strip() in (b")", b");")
