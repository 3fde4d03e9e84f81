"""`campaign_health`: whether a campaign without failures means anything."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from simulator.health.model import Growth, HealthPoint, Verdict
from tools.campaign.access import CampaignAccess
from tools.campaign.fields import Integer
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Tool, ToolInput

PATIENCE = 0.06
"""Seconds for making it; past them the answer is the last one, or a request to ask again."""


class CampaignHealthInput(ToolInput):
    limit: Integer = Field(default=30, ge=1, le=100, description="Most points to list, those that weaken first.")


class HealthResult(ToolResult, frozen=True):
    """`verdict`: sound, thin or vacuous. Points that weaken the campaign come first; `total` counts all. `calls` is as
    of when. `growth` is null until a worker has reported."""

    verdict: Verdict
    summary: str
    points: tuple[HealthPoint, ...]
    total: int
    growth: Growth | None
    looked_at: tuple[str, ...]
    calls: int


class HealthTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "campaign_health",
                "Whether passing tests mean anything: functions that always revert with the reasons and lines, tests"
                " that nothing could change, assertions never reached, branches taken one way with the operands seen,"
                " whether coverage still grows, and the next step for each. Use it before you trust a pass.",
                (CampaignHealthInput, HealthResult),
                self.health,
            ),
        )

    async def health(self, inputs: CampaignHealthInput) -> Answer:
        parts = self._access.current
        known = await self._access.health.current(
            parts.campaign, parts.coverage, parts.settings, parts.project, PATIENCE
        )
        if known is None:
            raise ToolError(ErrorCode.INTERNAL_ERROR, "The health is being worked out; ask again", reason="BUSY")
        health = known.health
        return answer_of(
            HealthResult(
                health.verdict,
                health.summary,
                health.points[: inputs.limit],
                len(health.points) + health.omitted,
                health.growth,
                health.looked_at,
                known.calls,
            )
        )
