"""Events of a session: how many are kept, and what a stream goes on with."""

from __future__ import annotations

import trio
import trio.testing
from mcp.server.streamable_http import EventMessage
from mcp_types import JSONRPCMessage, JSONRPCNotification, JSONRPCResponse

from tools.serving.resumption import MAX_KEPT, MAX_KEPT_BYTES, SessionEvents


def told(text: str) -> JSONRPCNotification:
    return JSONRPCNotification(jsonrpc="2.0", method="notifications/message", params={"data": text})


def answer(number: int) -> JSONRPCResponse:
    return JSONRPCResponse(jsonrpc="2.0", id=number, result={})


async def followed(events: SessionEvents, last: str) -> list[EventMessage]:
    """What a stream carried after an event; it has to have an end."""
    found: list[EventMessage] = []

    async def take(message: EventMessage) -> None:
        await trio.lowlevel.checkpoint()
        found.append(message)

    with trio.fail_after(5):
        await events.follow(last, take)
    return found


async def _expect(events: SessionEvents, last: str, messages: list[JSONRPCMessage]) -> None:
    assert [each.message for each in await followed(events, last)] == messages


async def test_a_stream_goes_on_with_what_is_its_own():
    """Others of the same session carry other answers."""
    events = SessionEvents()
    mine, _ = events.store("1", None), events.store("2", None)
    events.store("2", told("other"))
    events.store("1", told("mine"))
    events.store("2", answer(2))
    events.store("1", answer(1))
    assert [each.message for each in await followed(events, mine)] == [told("mine"), answer(1)]


async def test_many_and_large_events_push_out_older_ones():
    """The newest is kept whatever its size."""
    events = SessionEvents()
    first = events.store("1", None)
    for number in range(MAX_KEPT + 10):
        events.store("1", told(str(number)))
    events.store("1", answer(1))
    assert len(await followed(events, first)) == MAX_KEPT
    second, large = events.store("2", None), told("x" * MAX_KEPT_BYTES)
    events.store("2", large)
    assert await followed(events, first) == []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_expect, events, second, [large])
        await trio.testing.wait_all_tasks_blocked()
        events.close()


async def test_who_follows_hears_of_the_end_of_the_session():
    """The stream has no answer yet."""
    events = SessionEvents()
    first = events.store("1", None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(followed, events, first)
        await trio.testing.wait_all_tasks_blocked()
        events.close()
