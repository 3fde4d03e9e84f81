"""Adding up the counts of one source file over all codes that hold a part of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from simulator.coverage.branch_kinds import BranchKind
from simulator.coverage.branch_sites import BranchSite
from simulator.coverage.code_sites import FunctionSite
from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount
from simulator.coverage.source_text import SourceText


class FileCounter:
    """Sums of one file over all codes."""

    def __init__(self) -> None:
        self.lines: dict[int, LineCount] = {}
        self._branches: dict[tuple[int, int, BranchKind], tuple[BranchSite, list[int]]] = {}
        self._functions: dict[int, tuple[FunctionSite, int]] = {}

    def add_line(self, line: LineCount) -> None:
        known = self.lines.get(line.line)
        if known is not None:
            line = LineCount(line.line, known.count + line.count, known.contract, known.outcomes | line.outcomes)
        self.lines[line.line] = line

    def add_branch(self, site: BranchSite, counts: tuple[int, ...]) -> None:
        _, sums = self._branches.setdefault((site.start, site.length, site.kind), (site, [0, 0]))
        for side, count in enumerate(site.counts(counts)):
            sums[side] += count

    def add_function(self, site: FunctionSite, counts: tuple[int, ...]) -> None:
        start = site.declaration.start
        _, known = self._functions.get(start, (site, 0))
        self._functions[start] = (site, known + _entries(site, counts))

    def result(self, text: SourceText) -> FileCoverage:
        lines = tuple(self.lines[number] for number in sorted(self.lines))
        sites = sorted(self._branches.values(), key=lambda item: (item[0].line, item[0].start, item[0].length))
        branches = tuple(BranchCount(site.line, site.kind, site.contract, (s[0], s[1])) for site, s in sites)
        return FileCoverage(text.path, text.content, lines, branches, tuple(self._function_counts(text)))

    def _function_counts(self, text: SourceText) -> Iterator[FunctionCount]:
        sites = [self._functions[start] for start in sorted(self._functions)]
        names = _unique_names([site for site, _ in sites])
        for (site, count), name in zip(sites, names, strict=True):
            end_line = text.lines.line(site.declaration.end - 1)
            yield FunctionCount(site.line, end_line, name, self._consistent(site, end_line, count))

    def _consistent(self, site: FunctionSite, end_line: int, count: int) -> int:
        """A body counts as entered exactly when one of its lines was executed: readers of LCOV reject anything else,
        and a modifier may have turned the call away before."""
        inside = [self.lines[number].count for number in range(site.line, end_line + 1) if number in self.lines]
        if not inside:
            return count
        return max(count, 1) if any(inside) else 0


def _entries(site: FunctionSite, counts: tuple[int, ...]) -> int:
    return max((counts[cell] for cell in site.entry_cells or site.first_cells), default=0)


def _unique_names(sites: list[FunctionSite]) -> list[str]:
    """`Contract.name`, with the parameters behind it where that alone is ambiguous."""
    names = [_qualified(site) for site in sites]
    uses = Counter(names)
    full = [
        f"{name}({site.declaration.parameters})" if uses[name] > 1 else name
        for name, site in zip(names, sites, strict=True)
    ]
    return [name if full.count(name) == 1 else f"{name}:{site.line}" for name, site in zip(full, sites, strict=True)]


def _qualified(site: FunctionSite) -> str:
    contract, name = site.declaration.contract, site.declaration.name
    return f"{contract}.{name}" if contract else name
