"""Places of one code's coverage cells in the sources: a table that is built once and read at each report.

A line is executable when an instruction starts on it that belongs to a statement: it lies between the braces of a
function or modifier. Dispatcher, getters, entry and exit code, and code the compiler generates carry the range of a
contract, a function header or no file at all, and mark nothing (crytic/echidna#1102).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simulator.coverage.branch_sites import BranchSite, find_branches
from simulator.coverage.code_map import CodeMap
from simulator.coverage.declarations import FunctionDeclaration
from simulator.coverage.source_map import SourceRange
from simulator.coverage.source_text import SourceText


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
    finder = _SiteFinder(code_map, sources)
    for pc, source_range in aligned:
        finder.visit(pc, source_range)
    finder.finish()
    return CodeSites(finder.lines, finder.functions, find_branches(code_map, code, aligned, sources))


class _SiteFinder:
    def __init__(self, code_map: CodeMap, sources: Mapping[int, SourceText]) -> None:
        self._map = code_map
        self._sources = sources
        self.lines: dict[tuple[str, int], LineSite] = {}
        self.functions: dict[tuple[str, int], FunctionSite] = {}
        self._last_line: dict[int, LineSite] = {}

    def visit(self, pc: int, source_range: SourceRange) -> None:
        source = self._sources.get(source_range.file)
        cell = self._map.block_at(pc)
        if source is None or cell is None:
            return
        function = source.function_at(source_range.start)
        if function is None:
            return
        site = self._function(source, function)
        if function.is_header_range(source_range.start, source_range.end):
            site.entry_cells.add(cell)
        elif function.has_statement(source_range.start, source_range.end) and not source.is_block(source_range.start):
            site.add_statement(cell, source_range.start)
            self._line(cell, source, function, source_range.start)

    def finish(self) -> None:
        """A frame that ends in a block ends on the line of the block's last statement."""
        for cell, line in self._last_line.items():
            line.last_cells.add(cell)

    def _function(self, source: SourceText, declaration: FunctionDeclaration) -> FunctionSite:
        key = (source.path, declaration.start)
        if (site := self.functions.get(key)) is None:
            site = FunctionSite(source.path, declaration, source.lines.line(declaration.start))
            self.functions[key] = site
        return site

    def _line(self, cell: int, source: SourceText, function: FunctionDeclaration, start: int) -> None:
        line = self.lines.setdefault((source.path, source.lines.line(start)), LineSite(function.contract))
        line.cells.add(cell)
        self._last_line[cell] = line
