"""The health of the campaign for tools, made in a thread and kept until calls or tests have moved on."""

from __future__ import annotations

from functools import partial

import msgspec
import trio

from actors.campaign.actor import Campaign
from actors.campaign.status import CampaignEnd
from actors.coverage.reader import CoverageReader
from actors.coverage.report import CoverageReport
from actors.coverage.tracker import CoverageSnapshot
from actors.health.campaign_health import HealthNotes, health_notes, health_of
from simulator.health.model import CampaignHealth
from simulator.project import Project
from simulator.settings import CampaignSettings


class KnownHealth(msgspec.Struct, frozen=True):
    """`health` as of `calls` calls."""

    health: CampaignHealth
    calls: int


class HealthReader:
    """Remembers the last answer for one campaign at a time."""

    def __init__(self) -> None:
        self._campaign: Campaign | None = None
        self._known: KnownHealth | None = None
        self._is_busy = False
        self._was_over = False
        self._began = 0.0

    def latest(self, campaign: Campaign) -> KnownHealth | None:
        """Return the newest health of this campaign; None when nothing was."""
        return self._known if self._campaign is campaign else None

    async def current(
        self,
        campaign: Campaign,
        coverage: CoverageReader,
        settings: CampaignSettings,
        project: Project,
        seconds: float,
        age: float = 0.0,
    ) -> KnownHealth | None:
        """The health of this moment; the last one known where it takes longer than `seconds` in all, which `latest`
        then gives later. One is made at a time, and none while the last one is younger than `age`."""
        deadline = trio.current_time() + seconds
        report = await coverage.current(seconds / 4)
        known = self.latest(campaign)
        is_young = trio.current_time() - self._began < age or (campaign.is_over and self._was_over)
        if self._is_busy or (known is not None and is_young):
            return known
        self._is_busy, self._began = True, trio.current_time()
        self._was_over = campaign.is_over
        end, notes = campaign.interim(), health_notes(coverage.tracker, campaign.priorities)
        snapshot = coverage.tracker.snapshot()
        make = partial(self._make, campaign, end, notes, snapshot, report, settings, project)
        with trio.move_on_at(deadline):
            await trio.to_thread.run_sync(make, abandon_on_cancel=True)
        return self.latest(campaign)

    def _make(
        self,
        campaign: Campaign,
        end: CampaignEnd,
        notes: HealthNotes,
        snapshot: CoverageSnapshot,
        report: CoverageReport,
        settings: CampaignSettings,
        project: Project,
    ) -> None:
        try:
            health = health_of(end, settings, project, notes, (snapshot.codes(), report.files, report.frontier))
            self._campaign, self._known = campaign, KnownHealth(health, end.calls)
        finally:
            self._is_busy = False
