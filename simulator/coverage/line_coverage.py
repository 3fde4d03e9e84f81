"""Line, branch and function coverage of source files, from the cell counts of all codes of a campaign.

Within one code a line counts as often as its most executed instruction; the same line in several codes (a base
contract, an internal library) counts the sum.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from simulator.coverage.branch_kinds import BranchKind
from simulator.coverage.branch_sites import BranchSite
from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.code_map import CodeMap
from simulator.coverage.code_sites import CodeSites, FunctionSite, find_sites
from simulator.coverage.source_map import SourceRange, align
from simulator.coverage.source_text import SourceText
from simulator.project import Contract, Project, Unit


class LineCount(msgspec.Struct, frozen=True):
    """An executable line. `outcomes` is a mask of `Outcome`s of frames that ended on it; `contract` is empty at file
    level."""

    line: int
    count: int
    contract: str
    outcomes: int = 0


class BranchCount(msgspec.Struct, frozen=True):
    """A branch point: how often its condition was true and how often false."""

    line: int
    kind: BranchKind
    contract: str
    counts: tuple[int, int]

    @property
    def reached(self) -> bool:
        return any(self.counts)

    @property
    def hit(self) -> int:
        """Sides seen, 0..2."""
        return sum(count > 0 for count in self.counts)


class FunctionCount(msgspec.Struct, frozen=True):
    """A function or modifier and how often its body was entered. `name` is unique in the file."""

    line: int
    end_line: int
    name: str
    count: int


class FileCoverage(msgspec.Struct, frozen=True):
    """Coverage of one source file; all parts ordered by line."""

    path: str
    content: str
    lines: tuple[LineCount, ...] = ()
    branches: tuple[BranchCount, ...] = ()
    functions: tuple[FunctionCount, ...] = ()

    @property
    def lines_found(self) -> int:
        return len(self.lines)

    @property
    def lines_hit(self) -> int:
        return sum(line.count > 0 for line in self.lines)

    @property
    def branches_found(self) -> int:
        """Sides: two for each branch point."""
        return 2 * len(self.branches)

    @property
    def branches_hit(self) -> int:
        return sum(branch.hit for branch in self.branches)


class CoverageMapper:
    """Maps measured codes of one project to its sources. Keeps what does not change between reports, so a second
    report costs only the counts. Not for use by several threads at once."""

    def __init__(self, project: Project) -> None:
        self._contracts = _contracts_by_name(project)
        self._texts: dict[tuple[str, str], SourceText] = {}
        self._sites: dict[tuple[str, str], tuple[CodeMap, CodeSites | None]] = {}

    def files(self, coverages: Iterable[CodeCoverage]) -> tuple[FileCoverage, ...]:
        """Files that hold an executable line of one of these codes, ordered by path. Codes that match no contract of
        the project are left out. Raises `CompileError` for a malformed source map."""
        files: dict[str, _FileCounter] = {}
        for coverage in coverages:
            sites = self._sites_of(coverage.code)
            if sites is not None:
                self._add(files, sites, coverage)
        return tuple(files[path].result(self._text(path)) for path in sorted(files) if files[path].lines)

    def _add(self, files: dict[str, _FileCounter], sites: CodeSites, coverage: CodeCoverage) -> None:
        for (path, number), site in sites.lines.items():
            count = max(coverage.counts[cell] for cell in site.cells)
            outcomes = _union(coverage.outcomes[cell] for cell in site.last_cells) if coverage.outcomes else 0
            files.setdefault(path, _FileCounter()).add_line(LineCount(number, count, site.contract, outcomes))
        for branch in sites.branches:
            files[branch.path].add_branch(branch, coverage.counts)
        for function in sites.functions.values():
            files.setdefault(function.path, _FileCounter()).add_function(function, coverage.counts)

    def _sites_of(self, code: CodeMap) -> CodeSites | None:
        key = (code.contract, code.kind)
        known = self._sites.get(key)
        if known is None or known[0] != code:
            known = (code, self._find_sites(code))
            self._sites[key] = known
        return known[1]

    def _find_sites(self, code: CodeMap) -> CodeSites | None:
        for unit, contract in self._contracts.get(code.contract, ()):
            runtime = code.kind == "runtime"
            data = contract.runtime_code if runtime else contract.creation_code
            source_map = contract.runtime_source_map if runtime else contract.creation_source_map
            aligned = align(data, source_map)
            if aligned and _fits(code, data, aligned):
                return find_sites(code, data, aligned, self._unit_texts(unit))
        return None

    def _unit_texts(self, unit: Unit) -> dict[int, SourceText]:
        texts = {}
        for source in unit.sources:
            key = (source.path, source.content)
            if key not in self._texts:
                self._texts[key] = SourceText(source)
            texts[source.id] = self._texts[key]
        return texts

    def _text(self, path: str) -> SourceText:
        return next(text for (name, _), text in self._texts.items() if name == path)


_JUMPI = 0x57


def _fits(code: CodeMap, data: bytes, aligned: Sequence[tuple[int, SourceRange]]) -> bool:
    """Whether a map was made of this code. Behind the mapped part stand metadata and constructor arguments, which may
    look like branches."""
    end = aligned[-1][0]
    return all(data[pc] == _JUMPI for pc in code.branches if pc <= end)


class _FileCounter:
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
    uses: dict[str, int] = defaultdict(int)
    for name in names:
        uses[name] += 1
    full = [
        f"{name}({site.declaration.parameters})" if uses[name] > 1 else name
        for name, site in zip(names, sites, strict=True)
    ]
    return [name if full.count(name) == 1 else f"{name}:{site.line}" for name, site in zip(full, sites, strict=True)]


def _qualified(site: FunctionSite) -> str:
    contract, name = site.declaration.contract, site.declaration.name
    return f"{contract}.{name}" if contract else name


def _contracts_by_name(project: Project) -> dict[str, list[tuple[Unit, Contract]]]:
    contracts: dict[str, list[tuple[Unit, Contract]]] = defaultdict(list)
    for unit in project.units:
        for contract in unit.contracts:
            contracts[contract.full_name].append((unit, contract))
    return dict(contracts)


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def line_coverage(project: Project, coverages: Iterable[CodeCoverage]) -> tuple[FileCoverage, ...]:
    """One report, without a kept mapper; see `CoverageMapper.files`."""
    return CoverageMapper(project).files(coverages)
