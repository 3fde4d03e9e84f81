"""Comparison of a server's campaign with the one before it, or with a saved report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import trio

from actors.health.campaign_health import health_notes
from orchestrator.assembly.result import CampaignMaterial, build_findings
from orchestrator.assembly.wiring import Actors
from orchestrator.comparison.compare import compare
from orchestrator.comparison.model import Side
from orchestrator.configuration.request import CampaignRequest
from orchestrator.report.errors import ReportRequestError
from orchestrator.report.model import CampaignReport
from orchestrator.report.saved import REPORT_FILE, read_report
from simulator.printable import one_line
from simulator.project import Project
from tools.campaign.access import CampaignAccess, CampaignPlace
from tools.campaign.extensions.comparison import (
    ChangedFinding,
    ChangedSource,
    ChangedTest,
    ComparedSide,
    CompareInput,
    ComparisonResult,
)
from tools.campaign.several import ServedCampaigns
from tools.errors import ErrorCode, ToolError
from tools.roots import AllowedRoots, PathRefused


@dataclass(frozen=True)
class _Reports:
    """Of the campaign before, and of the one that is meant: `live` makes it while that runs, `latest` is that of its
    end."""

    before: CampaignReport | None = None
    live: Callable[[], Awaitable[CampaignReport]] | None = None
    latest: CampaignReport | None = None


class ComparisonService:
    """Keeps two reports of each campaign of a server. They are made in threads."""

    def __init__(self, roots: AllowedRoots, campaigns: ServedCampaigns) -> None:
        self._roots = roots
        self._campaigns = campaigns
        # One after the other: a report takes up to seconds and hundreds of MiB.
        self._turn = trio.Lock()
        self._reports: WeakKeyDictionary[CampaignPlace, _Reports] = WeakKeyDictionary()
        self._last: CampaignReport | None = None

    def follow(self, place: CampaignPlace, request: CampaignRequest, project: Project, actors: Actors) -> None:
        """A campaign begins. The one before it is the one that had its place, else the one that ended last."""

        async def report() -> CampaignReport:
            material = CampaignMaterial(
                request,
                actors.settings,
                project,
                actors.deployment.book(),
                actors.campaign.interim(),
                actors.tracker.snapshot(),
                actors.keeper.statistics(),
                notes=health_notes(actors.tracker, actors.campaign.priorities),
            )
            return (await trio.to_thread.run_sync(build_findings, material)).report

        own = self._reports.get(place, _Reports())
        self._reports[place] = _Reports(own.latest or own.before or self._last, report)

    def end(self, place: CampaignPlace, report: CampaignReport) -> None:
        """The campaign that was followed has ended with this report."""
        self._reports[place] = replace(self._reports.get(place, _Reports()), live=None, latest=report)
        self._last = report

    async def compare(self, inputs: CompareInput) -> ComparisonResult:
        """For `compare_campaigns`. Raises `ToolError`."""
        place = self._campaigns.meant
        async with self._turn:
            return await self._compare(place, inputs)

    async def _compare(self, place: CampaignPlace, inputs: CompareInput) -> ComparisonResult:
        before = self._reports.get(place, _Reports()).before
        if inputs.before is not None:
            before = await trio.to_thread.run_sync(self._saved, inputs.before)
        if inputs.before_campaign is not None:
            other = self._campaigns.named(inputs.before_campaign)
            if other is place:
                message = f"beforeCampaign: {other.id} is the campaign itself; name another, list_campaigns lists them"
                raise ToolError(ErrorCode.INVALID_INPUT, message, reason="SAME_CAMPAIGN")
            before = await self._report_of(other)
        if before is None:
            message = "There was no campaign before this one; name a report.json in before"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
        after = await self._report_of(place)
        try:
            return await trio.to_thread.run_sync(_compared, before, after, inputs.limit)
        except ReportRequestError as error:
            raise ToolError(ErrorCode.INVALID_INPUT, str(error), reason="NOT_FOUND") from error

    async def _report_of(self, place: CampaignPlace) -> CampaignReport:
        """That of the end, or of this moment. Raises `ToolError` for a campaign without one."""
        reports = self._reports.get(place, _Reports())
        report = await reports.live() if reports.live is not None else reports.latest
        if report is not None:
            return report
        # The reason why there is none.
        _ = CampaignAccess(place=place).current
        message = "The campaign ended without a report"
        raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="CAMPAIGN_FAILED")

    def _saved(self, text: str) -> CampaignReport:
        try:
            path = self._roots.resolve(text)
            # The report of a folder may be a link itself.
            return read_report(self._roots.resolve(str(path / REPORT_FILE)) if path.is_dir() else path)
        except (PathRefused, ReportRequestError) as error:
            raise ToolError(ErrorCode.INVALID_INPUT, f"before: {error}", reason="NOT_FOUND") from error


def _compared(before: CampaignReport, after: CampaignReport, limit: int) -> ComparisonResult:
    """Blocks: a saved report may have any content. Raises `ReportRequestError`."""
    comparison = compare(before, after)
    return ComparisonResult(
        worse=comparison.worse,
        before=_side(comparison.before),
        after=_side(comparison.after),
        tests=tuple(
            ChangedTest(f"{one_line(each.contract)}.{one_line(each.name)}", each.before, each.after)
            for each in comparison.tests[:limit]
        ),
        new_findings=tuple(ChangedFinding(each.test, each.site, each.reason) for each in comparison.new[:limit]),
        fixed_findings=tuple(ChangedFinding(each.test, each.site, each.reason) for each in comparison.fixed[:limit]),
        sources=tuple(
            ChangedSource(one_line(each.path), each.state, each.won, each.lost) for each in comparison.sources[:limit]
        ),
        won_lines=comparison.won_lines,
        lost_lines=comparison.lost_lines,
        left_out=sum(
            max(0, len(each) - limit)
            for each in (comparison.tests, comparison.new, comparison.fixed, comparison.sources)
        ),
        problems=comparison.problems,
    )


def _side(side: Side) -> ComparedSide:
    return ComparedSide(side.target, side.mode, side.calls, round(side.duration, 3), side.hit, side.lines)
