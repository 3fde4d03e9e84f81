"""`list_campaigns`: the campaigns of this server side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from tools.campaign.access import CampaignAccess, CampaignPlace
from tools.campaign.extensions.status import StatusTools
from tools.campaign.inputs import NoInput
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.several import ServedCampaigns, target_name
from tools.tool import Answer, Tool


class CampaignRow(ToolResult, frozen=True):
    """`id` is what other tools take as campaignId. `phase` is that of status. `findings` are failed tests of `tests`.
    Percentages are null before there is a report of coverage. `corpus_dir` is where the corpus and reports are kept."""

    id: str
    target: str
    test_mode: str
    phase: str
    running: bool
    paused: bool
    seconds: float
    calls: int
    calls_per_second: float
    workers: int
    tests: int
    findings: int
    line_coverage: float | None
    branch_coverage: float | None
    points: int
    transactions: int
    corpus_dir: str | None
    failure: str | None


class Capacity(msgspec.Struct, frozen=True):
    """Most campaigns that may run at a time, and the workers that they share unless they ask for a number."""

    campaigns: int
    workers: int


class CampaignsResult(ToolResult, frozen=True):
    """In the order in which they began; of those that have ended the last ones. At most `limit` may run at a time, and
    share `workers` unless they ask for a number of their own."""

    campaigns: tuple[CampaignRow, ...]
    limit: int
    workers: int


class CampaignListTools:
    """`capacity` says how many campaigns there may be."""

    def __init__(self, campaigns: ServedCampaigns, capacity: Callable[[], Capacity]) -> None:
        self._campaigns = campaigns
        self._capacity = capacity

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "list_campaigns",
                "Campaigns of this server: id, target, phase, speed, workers, findings, coverage. Use it to choose the"
                " campaignId that other tools take where several run.",
                (NoInput, CampaignsResult),
                self.list_campaigns,
                of_campaign=False,
            ),
        )

    async def list_campaigns(self, inputs: NoInput) -> Answer:
        capacity = self._capacity()
        return answer_of(CampaignsResult(campaign_rows(self._campaigns), capacity.campaigns, capacity.workers))


def campaign_rows(campaigns: ServedCampaigns) -> tuple[CampaignRow, ...]:
    """The campaigns of this moment, in the order in which they began. Reads what actors publish, and waits for
    nothing."""
    return tuple(map(_row, campaigns.known))


def _row(place: CampaignPlace) -> CampaignRow:
    figures = StatusTools(CampaignAccess(place=place)).figures(remember=False)
    parts = place.parts
    folder = parts.corpus_folder if parts is not None else None
    workers = parts.campaign.status().workers if parts is not None else ()
    return CampaignRow(
        id=place.id,
        target=target_name(place),
        test_mode=figures.test_mode,
        phase=figures.phase,
        running=figures.running,
        paused=figures.paused,
        seconds=figures.seconds,
        calls=figures.calls,
        calls_per_second=figures.calls_per_second,
        workers=sum(not worker.ended for worker in workers),
        tests=figures.tests.total,
        findings=figures.tests.falsified,
        line_coverage=figures.coverage.line_coverage,
        branch_coverage=figures.coverage.branch_coverage,
        points=figures.coverage.points,
        transactions=figures.corpus.transactions,
        corpus_dir=str(folder) if folder is not None else None,
        failure=figures.failure,
    )
