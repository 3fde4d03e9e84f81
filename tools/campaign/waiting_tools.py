"""`wait_for_event`: a long poll, so that an agent need not ask again and again."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from actors.messages import LoggedEvent
from tools.campaign.access import CampaignAccess, CampaignParts
from tools.campaign.events import event_data
from tools.campaign.results import Result, answer_of
from tools.command_log import rfc3339
from tools.tool import Answer, ToolInput

LONGEST_WAIT = 50


class WaitForEventInput(ToolInput):
    cursor: int | None = Field(
        default=None, ge=0, le=2**53, description="The cursor of the last answer; left out: wait for what comes next."
    )
    event_type: str | None = Field(
        default=None, max_length=100, alias="eventType", description="Only events of this type, as PropertyFalsified."
    )
    worker_id: int | None = Field(default=None, ge=0, le=255, alias="workerId", description="Only of this worker.")
    timeout_seconds: float = Field(default=30, ge=0, le=LONGEST_WAIT, alias="timeoutSeconds")
    limit: int = Field(default=100, ge=1, le=500)


class CursoredEvent(Result, frozen=True):
    """`worker_id` null: it concerns the whole campaign."""

    cursor: int
    timestamp: str
    event_type: str
    worker_id: int | None
    data: dict[str, Any]


class EventsResult(Result, frozen=True):
    """Oldest first; empty when nothing came in time. Pass `cursor` to the next call; `missed` events between the two
    are gone."""

    events: tuple[CursoredEvent, ...]
    cursor: int
    missed: int


class WaitingTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    async def wait(self, inputs: WaitForEventInput) -> Answer:
        parts = self._access.current
        cursor = parts.log.statistics().cursor if inputs.cursor is None else inputs.cursor
        batch = await parts.log.wait(
            cursor, inputs.timeout_seconds, inputs.limit, event_type=inputs.event_type, worker=inputs.worker_id
        )
        return answer_of(events_result(parts, batch.events, batch.cursor, batch.missed))


def events_result(parts: CampaignParts, events: tuple[LoggedEvent, ...], cursor: int, missed: int) -> EventsResult:
    """Events of all kinds as agents read them."""
    return EventsResult(
        tuple(
            CursoredEvent(
                logged.cursor,
                rfc3339(logged.time),
                type(logged.event).__name__,
                logged.worker if logged.worker >= 0 else None,
                event_data(logged, parts.call_texts),
            )
            for logged in events
        ),
        cursor,
        missed,
    )
