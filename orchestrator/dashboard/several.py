"""The campaigns of one server as pages see them: each is followed from its beginning, and a page shows one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from orchestrator.dashboard.live import TICK, LiveCampaign
from orchestrator.dashboard.state import CampaignLine
from tools.campaign.access import CampaignAccess, CampaignPlace
from tools.campaign.extensions.campaigns import CampaignRow, campaign_rows
from tools.campaign.several import ServedCampaigns

MIN_LISTED: Final = 2
"""Campaigns of which there is a list; one is shown by itself."""
Listed = Callable[[], tuple[CampaignLine, ...]]
FollowOne = Callable[[CampaignAccess, Listed], LiveCampaign]


class SteadyCampaign(CampaignAccess):
    """The campaign of a page that names none: the one that was shown before while it runs, so that another one that
    begins takes no page away; else the newest that runs."""

    def __init__(self, campaigns: ServedCampaigns) -> None:
        super().__init__()
        self._campaigns = campaigns
        self._shown = campaigns.shown

    @property
    def place(self) -> CampaignPlace:
        if self._shown not in self._campaigns.known or not self._shown.is_open:
            self._shown = self._campaigns.shown
        return self._shown


class LiveCampaigns:
    """`follow_one` makes what follows a campaign; it is given the list of all of them."""

    absent = LiveCampaign.absent

    def __init__(
        self, campaigns: ServedCampaigns, follow_one: Callable[[CampaignAccess, Listed], LiveCampaign]
    ) -> None:
        self._campaigns = campaigns
        self._follow_one = follow_one
        self._steady = follow_one(SteadyCampaign(campaigns), self.lines)
        self._live: dict[CampaignPlace, LiveCampaign] = {}
        self._followed: dict[CampaignPlace, trio.CancelScope] = {}

    def lines(self) -> tuple[CampaignLine, ...]:
        """The campaigns in the order in which they began, empty where there is but one."""
        known = self._campaigns.known
        return tuple(map(_line, campaign_rows(self._campaigns), known)) if len(known) >= MIN_LISTED else ()

    # --- for pages ---------------------------------------------------------------------------------------------------

    def find(self, name: str) -> LiveCampaign:
        """The campaign of this id, empty for the one that a page shows by default. Raises `ToolError`."""
        return self._of(self._campaigns.named(name)) if name else self._steady

    def nudge(self) -> None:
        for each in (self._steady, *self._live.values()):
            each.nudge()

    def _of(self, place: CampaignPlace) -> LiveCampaign:
        if place not in self._live:
            self._live[place] = self._follow_one(CampaignAccess(place=place), self.lines)
        return self._live[place]

    # --- following ---------------------------------------------------------------------------------------------------

    async def follow(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Until cancelled."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self._steady.follow)
            task_status.started()
            while True:
                await self._keep_up(nursery)
                await trio.sleep(TICK)

    async def _keep_up(self, nursery: trio.Nursery) -> None:
        """Follow the campaigns that are known now, and no others."""
        known = self._campaigns.known
        for place in [each for each in self._followed if each not in known]:
            self._followed.pop(place).cancel(reason="the campaign was forgotten")
            self._live.pop(place, None)
        for place in known:
            if place not in self._followed:
                scope = self._followed[place] = trio.CancelScope()
                await nursery.start(_within, scope, self._of(place))

    def end(self) -> None:
        """The program is done with its campaigns."""
        self._steady.end()


async def _within(scope: trio.CancelScope, live: LiveCampaign, *, task_status: trio.TaskStatus[None]) -> None:
    with scope:
        await live.follow(task_status=task_status)


def _line(row: CampaignRow, place: CampaignPlace) -> CampaignLine:
    known = place.health.latest(place.parts.campaign) if place.parts is not None else None
    return CampaignLine(
        target=row.target,
        state="running" if place.is_open else "ended",
        tests=row.tests,
        failed=row.findings,
        calls=row.calls,
        seconds=row.seconds,
        points=row.points,
        health=known.health.verdict if known is not None else None,
        folder=row.corpus_dir or "",
        id=row.id,
        phase=row.phase,
        paused=row.paused,
        calls_per_second=row.calls_per_second,
        line_coverage=row.line_coverage,
        workers=row.workers,
        problem=row.failure or "",
    )
