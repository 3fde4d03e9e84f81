"""`wait_for_event`: a long poll, so that an agent need not ask again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args

import msgspec
import trio
from pydantic import AfterValidator, Field, model_validator

from actors.events.ring import EventBatch
from actors.events.types import AnyEvent, CampaignStopped, LoggedEvent
from actors.runtime.timestamps import rfc3339
from simulator.known_names import known_names
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.events import event_data
from tools.campaign.fields import Integer
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Deadline, Tool, ToolInput

MAX_WAIT = 50
CHECK_SECONDS = 0.25
EVENT_TYPES = sorted(event.__name__ for event in get_args(AnyEvent))


def _event_type(name: str) -> str:
    if name not in EVENT_TYPES:
        raise ValueError(f"must be one of {', '.join(EVENT_TYPES)}")
    return name


EventName = Annotated[str, AfterValidator(_event_type), Field(json_schema_extra={"enum": list(EVENT_TYPES)})]


class WaitForEventInput(ToolInput):
    cursor: Integer | None = Field(
        default=None, ge=0, le=2**53, description="The cursor of the last answer; left out: wait for what comes next."
    )
    event_type: EventName | None = Field(
        default=None, alias="eventType", description="Only events of this type, as PropertyFalsified."
    )
    worker_id: Integer | None = Field(default=None, ge=0, le=255, alias="workerId", description="Only of this worker.")
    timeout_seconds: float = Field(default=30, ge=0, le=MAX_WAIT, alias="timeoutSeconds")
    limit: Integer = Field(default=100, ge=1, le=500)
    until: Literal["finding", "coverage", "plateau", "idle"] | None = Field(
        default=None,
        description="Wait for this instead of any event: a test that fails, new coverage (of function, where given),"
        " plateauSeconds without new coverage, or the end of fuzzing (findings may still be shrunk). The answer has the"
        " events until then.",
    )
    function: str | None = Field(
        default=None, min_length=1, max_length=1_000, description="With until coverage: as transfer or Token.transfer."
    )
    plateau_seconds: float = Field(default=30, gt=0, le=86_400, alias="plateauSeconds")

    @model_validator(mode="after")
    def _function_goes_with_coverage(self) -> WaitForEventInput:
        if self.function is not None and self.until != "coverage":
            raise ValueError("function goes with until coverage")
        return self


class CursoredEvent(ToolResult, frozen=True):
    """`worker_id` null: it concerns the whole campaign."""

    cursor: int
    timestamp: str
    event_type: str
    worker_id: int | None
    data: dict[str, Any]


class EventsResult(ToolResult, frozen=True):
    """Oldest first; empty when nothing came in time. Pass `cursor` to the next call; `missed` events between the two
    are gone. `over`: the campaign has ended and nothing more will come. `met`: what `until` names has happened."""

    events: tuple[CursoredEvent, ...]
    cursor: int
    missed: int
    over: bool
    met: bool = False


class WaitingTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "wait_for_event",
                "Waits up to 50 s for the next events, or until a finding, new coverage, a plateau or the end of"
                " fuzzing. Returns the events, with a cursor to continue from. Use it instead of polling.",
                (WaitForEventInput, EventsResult),
                self.wait,
                deadline=Deadline.WAIT,
            ),
        )

    async def wait(self, inputs: WaitForEventInput) -> Answer:
        deadline = trio.current_time() + inputs.timeout_seconds
        is_new = self._access.parts is None
        await self._access.arrival(inputs.timeout_seconds)
        if self._access.parts is None and self._access.phase:
            return answer_of(EventsResult((), 0, 0, over=False))
        parts = self._access.current
        cursor = inputs.cursor
        if cursor is None:
            # Of a campaign that came while this call waited, everything is to come.
            log = parts.log.statistics()
            cursor = log.cursor - log.appended if is_new else log.cursor
        if inputs.until is not None:
            met = await is_met(parts, condition_of(parts, inputs.until, inputs), deadline)
            batch = parts.log.read(cursor, inputs.limit, event_type=inputs.event_type, worker=inputs.worker_id)
            result = events_result(parts, batch.events, batch.cursor, batch.missed)
            return answer_of(msgspec.structs.replace(result, met=met))
        batch = await _batch(parts, cursor, inputs, max(0.0, deadline - trio.current_time()))
        return answer_of(events_result(parts, batch.events, batch.cursor, batch.missed))


Condition = Callable[[], bool]


def condition_of(parts: CampaignComponents, until: str, inputs: WaitForEventInput) -> Condition:
    """Return whether the condition holds now, compared with the moment of this call. Raises `ToolError` for a
    function that the campaign does not call."""
    campaign = parts.campaign
    match until:
        case "finding":
            before = campaign.failed_tests()
            return lambda: campaign.failed_tests() > before
        case "coverage" if inputs.function is not None:
            covered = _covered_at(parts, inputs.function)
            return lambda: _covered_at(parts, inputs.function or "") != covered
        case "coverage":
            points = campaign.status().coverage.points
            return lambda: campaign.status().coverage.points > points
        case "plateau":
            return lambda: (campaign.status().seconds_since_coverage or 0.0) >= inputs.plateau_seconds
        case _:
            return lambda: bool(campaign.status().ended)


def _covered_at(parts: CampaignComponents, name: str) -> tuple[int | None, ...]:
    """At which calls the functions of this name last brought coverage."""
    functions = parts.campaign.priorities.statistics().functions
    names = {each: (each.signature, each.signature.partition("(")[0]) for each in functions}
    chosen = [
        each for each, own in names.items() if name in own or name in tuple(f"{each.contract}.{text}" for text in own)
    ]
    if not chosen:
        known = known_names(name, (f"{each.contract}.{each.signature}" for each in functions))
        message = f"there is no function {name[:200]!r}; known are: {known}"
        raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
    return tuple(each.covered_at for each in chosen)


async def is_met(parts: CampaignComponents, condition: Condition, deadline: float) -> bool:
    """Wait until the condition holds, the campaign is over, or the deadline of trio's clock."""
    with trio.move_on_at(deadline):
        while not condition():
            if parts.is_over:
                return False
            cursor = parts.log.statistics().cursor
            # Conditions of time need no event; all others come with one, or soon after.
            await parts.log.wait(cursor, CHECK_SECONDS)
        return True
    return condition()


async def _batch(parts: CampaignComponents, cursor: int, inputs: WaitForEventInput, seconds: float) -> EventBatch:
    """The next events that fit, waiting for them no longer than the campaign lasts."""
    log, kind, worker = parts.log, inputs.event_type, inputs.worker_id
    if not parts.is_over:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_at_the_end, parts, nursery.cancel_scope)
            found = await log.wait(cursor, seconds, inputs.limit, event_type=kind, worker=worker)
            nursery.cancel_scope.cancel(reason="the wait is over")
            return found
    return log.read(cursor, inputs.limit, event_type=kind, worker=worker)


async def _cancel_at_the_end(parts: CampaignComponents, scope: trio.CancelScope) -> None:
    await parts.log.wait(parts.log.statistics().cursor, event_type=CampaignStopped.__name__)
    scope.cancel(reason="the campaign is over")


def events_result(parts: CampaignComponents, events: tuple[LoggedEvent, ...], cursor: int, missed: int) -> EventsResult:
    """Events of all kinds as agents read them."""
    return EventsResult(
        tuple(
            CursoredEvent(
                logged.cursor,
                rfc3339(logged.time),
                type(logged.event).__name__,
                logged.worker if logged.worker >= 0 else None,
                event_data(logged, parts.call_texts, parts.coverage.tracker.place_at),
            )
            for logged in events
        ),
        cursor,
        missed,
        parts.is_over,
    )
