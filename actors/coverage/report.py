"""A coverage report for users and tools, made from one snapshot: everything in it agrees."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch

import msgspec

from actors.coverage.places import KnownSites
from actors.coverage.tracker import CoverageSnapshot
from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.file_coverage import FileCoverage
from simulator.coverage.frontier import FrontierSite, frontier
from simulator.coverage.line_coverage import CoverageMapper
from simulator.coverage.summary import CoverageSummary, summarize
from simulator.errors import CompileError
from simulator.project import Project


class CoverageReport(msgspec.Struct, frozen=True):
    """`frames` identifies the snapshot of the tracker it is made from, -1 before the first, `taken` when (trio's time),
    and `points` how much it covers; while the tracker has no further points, lines and branches are those of now.
    `summary`, `files` (ordered by path) and `frontier` belong together. `problem` says why there is none, when sources
    cannot be mapped.
    """

    frames: int = -1
    summary: CoverageSummary = CoverageSummary(0.0, 0.0)
    files: tuple[FileCoverage, ...] = ()
    frontier: tuple[FrontierSite, ...] = ()
    problem: str = ""
    taken: float = 0.0
    points: int = 0

    @property
    def lines_hit(self) -> int:
        return sum(contract.lines_hit for contract in self.summary.contracts)

    @property
    def lines_found(self) -> int:
        return sum(contract.lines_found for contract in self.summary.contracts)


class ReportBuilder:
    """Makes reports of one project; a second one costs only the counts. `excluded` are patterns of paths that are left
    out. Not for use by several threads at once."""

    def __init__(self, project: Project, excluded: Sequence[str] = ()) -> None:
        self._mapper = CoverageMapper(project)
        self._excluded = tuple(excluded)

    @property
    def sites(self) -> KnownSites:
        """Sites of the codes of reports so far. May be read by any thread."""
        return self._mapper.built

    def build(self, snapshot: CoverageSnapshot) -> CoverageReport:
        """Takes from milliseconds to seconds."""
        coverages = snapshot.codes()
        try:
            files = self._files(coverages)
            sites = self._sites(coverages, files)
        except CompileError as error:
            return CoverageReport(snapshot.frames, problem=str(error))
        return CoverageReport(snapshot.frames, summarize(files), files, sites)

    def codes_files_sites(
        self, snapshot: CoverageSnapshot
    ) -> tuple[tuple[CodeCoverage, ...], tuple[FileCoverage, ...], tuple[FrontierSite, ...]]:
        """Coverage by code and by file, and the frontier. Raises `CompileError` for a malformed source map."""
        coverages = snapshot.codes()
        files = self._files(coverages)
        return coverages, files, self._sites(coverages, files)

    def files(self, snapshot: CoverageSnapshot) -> tuple[FileCoverage, ...]:
        """The files alone. Raises `CompileError` for a malformed source map."""
        return self._files(snapshot.codes())

    def _files(self, coverages: Sequence[CodeCoverage]) -> tuple[FileCoverage, ...]:
        files = self._mapper.files(coverages)
        return tuple(file for file in files if not any(fnmatch(file.path, pattern) for pattern in self._excluded))

    def _sites(self, coverages: Sequence[CodeCoverage], files: Sequence[FileCoverage]) -> tuple[FrontierSite, ...]:
        shown = {file.path for file in files}
        return tuple(site for site in frontier(self._mapper, coverages) if site.branch.path in shown)
