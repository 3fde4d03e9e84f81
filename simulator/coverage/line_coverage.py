"""Line, branch and function coverage of source files, from the cell counts of all codes of a campaign.

Within one code a line counts as often as its most executed instruction; the same line in several codes (a base
contract, an internal library) counts the sum. Contracts that the measured ones can create belong to the report from
the start, so that coverage does not fall when one of them appears.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.code_map import CodeKind, CodeMap
from simulator.coverage.code_sites import CodeSites, find_sites
from simulator.coverage.file_counter import FileCounter
from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount
from simulator.coverage.source_map import SourceRange, align, instruction_offsets
from simulator.coverage.source_text import SourceText
from simulator.project import Contract, Project, Unit

__all__ = ["BranchCount", "CoverageMapper", "FileCoverage", "FunctionCount", "LineCount", "line_coverage"]


class CoverageMapper:
    """Maps measured codes of one project to its sources. Keeps what does not change between reports, so a second
    report costs only the counts. Not for use by several threads at once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._contracts = _contracts_by_name(project)
        self._texts: dict[tuple[str, str], SourceText] = {}
        self._sites: dict[CodeMap, CodeSites | None] = {}
        self.built: dict[int, tuple[CodeMap, CodeSites | None]] = {}
        """Codes whose sites were needed so far, by identity of their maps; None for those without a source. May be read
        by any thread."""
        self._blank: dict[frozenset[tuple[str, CodeKind]], tuple[CodeCoverage, ...]] = {}

    def files(self, coverages: Iterable[CodeCoverage]) -> tuple[FileCoverage, ...]:
        """Files that hold an executable line of one of these codes, or of a contract they can create, ordered by path.
        Codes that match no contract of the project are left out. Raises `CompileError` for a malformed source map."""
        files: dict[str, FileCounter] = {}
        for coverage, sites in self.measured_sites(coverages):
            self._add(files, sites, coverage)
        return tuple(files[path].result(self.text(path)) for path in sorted(files) if files[path].lines)

    def measured_sites(self, coverages: Iterable[CodeCoverage]) -> Iterator[tuple[CodeCoverage, CodeSites]]:
        """The codes that `files` counts, with their places in the sources."""
        measured = list(coverages)
        for coverage in [*measured, *self._not_run(measured)]:
            sites = self._sites_of(coverage.code)
            if sites is not None:
                yield coverage, sites

    def text(self, path: str) -> SourceText:
        """A source that one of the codes counted so far maps to."""
        return next(text for (name, _), text in self._texts.items() if name == path)

    def _add(self, files: dict[str, FileCounter], sites: CodeSites, coverage: CodeCoverage) -> None:
        for (path, number), site in sites.lines.items():
            count = max(coverage.counts[cell] for cell in site.cells)
            outcomes = _union(coverage.outcomes[cell] for cell in site.last_cells) if coverage.outcomes else 0
            files.setdefault(path, FileCounter()).add_line(LineCount(number, count, site.contract, outcomes))
        for branch in sites.branches:
            files[branch.path].add_branch(branch, coverage.counts)
        for function in sites.functions.values():
            files.setdefault(function.path, FileCounter()).add_function(function, coverage.counts)

    def _not_run(self, coverages: Sequence[CodeCoverage]) -> tuple[CodeCoverage, ...]:
        """Empty coverage of codes to come: of contracts that the measured ones can create, and the runtime code of
        contracts whose creation was measured."""
        measured = frozenset((coverage.code.contract, coverage.code.kind) for coverage in coverages)
        if measured not in self._blank:
            self._blank[measured] = tuple(blank_coverages(self._project, measured))
        return self._blank[measured]

    def _sites_of(self, code: CodeMap) -> CodeSites | None:
        if code not in self._sites:
            self._sites[code] = self._find_sites(code)
        self.built[id(code)] = (code, self._sites[code])
        return self._sites[code]

    def _find_sites(self, code: CodeMap) -> CodeSites | None:
        for unit, contract in self._contracts.get(code.contract, ()):
            runtime = code.kind == "runtime"
            data = contract.runtime_code if runtime else contract.creation_code
            source_map = contract.runtime_source_map if runtime else contract.creation_source_map
            aligned = align(data, source_map)
            if aligned and fits_code(code, data, aligned):
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


_JUMPI = 0x57


def fits_code(code: CodeMap, data: bytes, aligned: Sequence[tuple[int, SourceRange]]) -> bool:
    """Return whether a map was made of this code. Behind the mapped part stand metadata and constructor arguments,
    which may look like branches."""
    end = aligned[-1][0]
    return all(data[pc] == _JUMPI for pc in code.branches if pc <= end)


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


def creatable_contracts(project: Project, names: Iterable[str]) -> list[Contract]:
    """Contracts of the project, not among `names` (`path:Name`), that those can create, directly or through others."""
    found: list[Contract] = []
    for unit in project.units:
        known = set(names)
        waiting = [contract for contract in unit.contracts if contract.full_name in known]
        while waiting:
            creator = waiting.pop()
            for contract in unit.contracts:
                if contract.full_name not in known and _holds(creator, contract):
                    known.add(contract.full_name)
                    found.append(contract)
                    waiting.append(contract)
    return found


def _holds(creator: Contract, contract: Contract) -> bool:
    code = contract.creation_code
    return bool(code) and (code in creator.runtime_code or code in creator.creation_code)


def blank_coverages(project: Project, measured: Collection[tuple[str, CodeKind]]) -> Iterator[CodeCoverage]:
    """Coverage of codes that did not run yet: both codes of contracts that measured ones can create, and the runtime
    code of measured ones of which only the creation was."""
    names = {name for name, _ in measured}
    for contract in creatable_contracts(project, names):
        yield _blank(contract, "creation", contract.creation_code)
        yield _blank(contract, "runtime", contract.runtime_code)
    for contract in project.contracts:
        if contract.full_name in names and (contract.full_name, "runtime") not in measured:
            yield _blank(contract, "runtime", contract.runtime_code)


def _blank(contract: Contract, kind: CodeKind, code: bytes) -> CodeCoverage:
    """A single block, since nothing tells blocks apart that never ran."""
    branches = tuple(pc for pc in instruction_offsets(code) if code[pc] == _JUMPI)
    code_map = CodeMap(contract.full_name, kind, (0,), (len(code),), branches)
    return CodeCoverage(code_map, (0,) * code_map.cells)
