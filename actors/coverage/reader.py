"""Reading coverage while it grows: percentages, frontier, LCOV and annotated sources, from published reports.

One report is made at a time, in a thread, from an immutable snapshot, and published whole. Readers take the latest one
at once, or wait a little for one that is no older than their question. So no question costs the loop more than
the copy of a snapshot, and what two readers get from one report agrees to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import msgspec
import trio

from actors.coverage.report import CoverageReport, ReportBuilder
from actors.coverage.tracker import CoverageSnapshot, CoverageTracker
from simulator.coverage.annotation import AnnotatedFile, annotate
from simulator.coverage.frontier import FrontierSite, HalfCoveredBranch
from simulator.coverage.lcov import render
from simulator.project import Project

INTERVAL = 3.0
MAX_SHARE = 0.02
"""Share of a core that unrequested reports may take."""
SOONEST = 0.2
MAX_SHARE_ON_DEMAND = 0.2


class CoverageReaderStatistics(msgspec.Struct, frozen=True):
    """Reports made so far, seconds that the last one took, and frames of the tracker that it does not contain."""

    reports: int
    seconds: float
    behind: int


class FrontierBranch(msgspec.Struct, frozen=True, rename="camel"):
    """A half-covered branch and the id of the shortest corpus entry that reaches it, None while none is known."""

    branch: HalfCoveredBranch
    nearest_entry: str | None


class CoverageReader:
    """Actor. `nearest` finds the entry that covers one of these features (`CorpusReader.nearest`)."""

    def __init__(
        self,
        tracker: CoverageTracker,
        project: Project,
        excluded: Sequence[str] = (),
        nearest: Callable[[Iterable[int]], str | None] = lambda _: None,
    ) -> None:
        self._tracker = tracker
        self._root = project.root
        self._builder = ReportBuilder(project, excluded)
        tracker.places.known = self._builder.sites
        self._nearest = nearest
        self._latest = CoverageReport()
        self._lcov: tuple[CoverageReport, str] = (self._latest, "")
        self._wanted = trio.Event()
        self._published = trio.lowlevel.ParkingLot()
        self._reports = 0
        self._points = -1
        self._began = -INTERVAL
        self._seconds = 0.0

    # --- for readers -------------------------------------------------------------------------------------------------

    @property
    def latest(self) -> CoverageReport:
        """The report published last."""
        return self._latest

    async def fresh(self, seconds: float) -> CoverageReport:
        """A report that contains all that the tracker had at the time of the call; or, when that takes longer than
        `seconds`, the latest. Reports on demand take at most a fifth of a core."""
        wanted = self._tracker.statistics().frames
        with trio.move_on_after(seconds):
            while self._latest.frames < wanted and not self._latest.problem:
                self._wanted.set()
                await self._published.park()
        return self._latest

    async def current(self, seconds: float) -> CoverageReport:
        """The latest report where it covers all that is covered by now; else as `fresh`."""
        return self._latest if self._is_whole(self._latest) else await self.fresh(seconds)

    def age(self, report: CoverageReport) -> float:
        """Seconds for which coverage may exceed this report; 0 while it does not."""
        return 0.0 if self._is_whole(report) else trio.current_time() - report.taken

    def _is_whole(self, report: CoverageReport) -> bool:
        return report.frames >= 0 and report.points == self._tracker.statistics().points

    async def lcov(self, report: CoverageReport, seconds: float = math.inf) -> tuple[CoverageReport, str]:
        """The report as an LCOV tracefile, absolute paths in it; rendered in a thread, once a report. Where that takes
        longer than `seconds`, the last one rendered and its report; waits on where there is none."""
        if self._lcov[0] is not report:
            patience = seconds if self._lcov[0].frames >= 0 else math.inf
            with trio.move_on_after(patience):
                await trio.to_thread.run_sync(self._render, report, abandon_on_cancel=True)
        return self._lcov

    def _render(self, report: CoverageReport) -> None:
        """Runs in a thread that may outlive its caller: what it renders then serves the next one."""
        text = render(report.files, self._root)
        if report.frames >= self._lcov[0].frames:
            self._lcov = (report, text)

    async def annotated(self, report: CoverageReport, path: str) -> AnnotatedFile | None:
        """One file of the report, by its path or by a whole-component end of it that no other file has."""
        found = [file for file in report.files if file.path == path]
        found = found or [file for file in report.files if file.path.endswith("/" + path)]
        if len(found) != 1:
            return None
        return await trio.to_thread.run_sync(annotate, found[0], abandon_on_cancel=True)

    def frontier(self, report: CoverageReport, limit: int, contract: str | None = None) -> tuple[FrontierBranch, ...]:
        """Up to `limit` branches of the frontier, of this contract (plain name) where one is given."""
        chosen = [site for site in report.frontier if contract in (None, site.branch.contract)][:limit]
        return tuple(FrontierBranch(site.branch, self._entry_near(site)) for site in chosen)

    @property
    def tracker(self) -> CoverageTracker:
        """Return the tracker that the reports are made of."""
        return self._tracker

    def statistics(self) -> CoverageReaderStatistics:
        frames = self._tracker.statistics().frames
        return CoverageReaderStatistics(self._reports, self._seconds, frames - max(0, self._latest.frames))

    def _entry_near(self, site: FrontierSite) -> str | None:
        numbers = [number for code, cell in site.cells for number in self._tracker.features_at(code, cell)]
        return self._nearest(numbers) if numbers else None

    # --- the actor ---------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Publish reports until cancelled: on demand, and after coverage has grown. Ends early when the sources cannot
        be mapped; the latest report then says why."""
        while not self._latest.problem:
            await self._until_due()
            if self._latest.frames == self._tracker.statistics().frames:
                continue
            self._points = self._tracker.statistics().points
            self._began = trio.current_time()
            report = await self._make(self._tracker.snapshot())
            self._latest = msgspec.structs.replace(report, taken=self._began, points=self._points)
            self._seconds = trio.current_time() - self._began
            self._reports += 1
            self._published.unpark_all()

    async def _make(self, snapshot: CoverageSnapshot) -> CoverageReport:
        return await trio.to_thread.run_sync(self._builder.build, snapshot, abandon_on_cancel=True)

    async def _until_due(self) -> None:
        """Wait for a request, or until a regular report is due and coverage has grown."""
        with trio.move_on_at(self._began + max(INTERVAL, self._seconds / MAX_SHARE)):
            await self._wanted.wait()
        while not self._wanted.is_set() and self._tracker.statistics().points == self._points:
            with trio.move_on_after(INTERVAL):
                await self._wanted.wait()
        if self._wanted.is_set():
            await trio.sleep_until(self._began + max(SOONEST, self._seconds / MAX_SHARE_ON_DEMAND))
            self._wanted = trio.Event()
