"""Streams that break are taken up again: a real server, and requests as a client of 2025-11-25 sends them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
import trio

from tests.integration.serving.test_http import HEADERS, INITIALIZE, TOKENS
from tests.support.patience import PATIENCE
from tests.support.tool_set import NoInput, make_tool
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry
from tools.serving.binding import build_server
from tools.serving.facade import Facade
from tools.serving.http import HttpSettings, http_caller, http_server
from tools.serving.subscriptions import Subscriptions
from tools.tool import Answer, Deadline

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]

VERSION = "2025-11-25"
URI = "campaign://status"


class Bench:
    """A server whose tool `late` answers when `release` is set."""

    def __init__(self) -> None:
        self.release = trio.Event()
        self.subscriptions = Subscriptions()
        self.url = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[httpx2.AsyncClient]:
        async def late(_: NoInput) -> Answer:
            await self.release.wait()
            return Answer({"text": "late"})

        tool = make_tool("late", late, deadline=Deadline.WAIT)
        facade = Facade(dispatcher=Dispatcher(ToolRegistry([tool])))
        server = build_server(facade, self.subscriptions, http_caller)
        with trio.fail_after(PATIENCE):
            async with (
                http_server(server, HttpSettings(tokens=TOKENS, retry=70)) as self.url,
                httpx2.AsyncClient(timeout=PATIENCE) as http,
            ):
                yield http

    async def session(self, http: httpx2.AsyncClient, token: str = TOKENS.control) -> dict[str, str]:
        """The headers of a new session's requests."""
        headers = HEADERS | {"authorization": f"Bearer {token}", "mcp-protocol-version": VERSION}
        response = await http.post(self.url, json=INITIALIZE, headers=headers)
        headers["mcp-session-id"] = response.headers["mcp-session-id"]
        await http.post(self.url, json=notification("notifications/initialized"), headers=headers)
        return headers

    @asynccontextmanager
    async def stream(
        self, http: httpx2.AsyncClient, method: str, headers: dict[str, str], **rest: object
    ) -> AsyncIterator[AsyncIterator[dict[str, str]]]:
        """The events of a stream, whose connection breaks at the end of the block."""
        async with http.stream(method, self.url, headers=headers, **rest) as response:
            assert response.status_code == 200
            yield events(response.aiter_lines())


def notification(method: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method}


def request(method: str, number: int, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


LATE = request("tools/call", 7, name="late", arguments={})


async def events(lines: AsyncIterator[str]) -> AsyncIterator[dict[str, str]]:
    """The fields of each server-sent event."""
    fields: dict[str, str] = {}
    async for line in lines:
        name, separator, value = line.partition(":")
        if name:
            fields[name] = value.removeprefix(" ")
        elif not separator and fields:
            yield fields
            fields = {}


async def test_a_stream_begins_with_an_id_and_a_time_to_come_back():
    """So that a connection may break before the first message."""
    bench = Bench()
    async with bench.serving() as http:
        headers = await bench.session(http)
        async with bench.stream(http, "POST", headers, json=LATE) as told:
            primer = await anext(told)
        assert (primer["data"], primer["retry"], bool(primer["id"])) == ("", "70", True)
        async with bench.stream(http, "GET", headers) as told:
            primer = await anext(told)
        assert (primer["data"], primer["retry"], bool(primer["id"])) == ("", "70", True)


@pytest.mark.parametrize("is_early", [True, False])
async def test_an_answer_reaches_a_client_that_comes_back(is_early: bool):
    """Whether it comes back before the answer was made or after, and the stream ends with the answer."""
    bench = Bench()
    async with bench.serving() as http:
        headers = await bench.session(http)
        async with bench.stream(http, "POST", headers, json=LATE) as told:
            last = (await anext(told))["id"]
        if not is_early:
            bench.release.set()
        async with bench.stream(http, "GET", headers | {"last-event-id": last}) as told:
            bench.release.set()
            answers = [json.loads(each["data"]) async for each in told]
        texts = [(each["id"], each["result"]["content"][0]["text"]) for each in answers]
        assert texts == [(7, '{"text":"late"}')]


async def test_updates_of_a_resource_are_made_up_for():
    """Those that were published while the stream was broken, once each and in their order."""
    bench = Bench()
    async with bench.serving() as http:
        headers = await bench.session(http)
        await http.post(bench.url, json=request("resources/subscribe", 2, uri=URI), headers=headers)
        async with bench.stream(http, "GET", headers) as told:
            last = (await anext(told))["id"]
        await bench.subscriptions.publish(URI)
        async with bench.stream(http, "GET", headers | {"last-event-id": last}) as told:
            first = await anext(told)
            await bench.subscriptions.publish(URI)
            second = await anext(told)
        assert json.loads(first["data"])["params"] == json.loads(second["data"])["params"] == {"uri": URI}
        assert len({last, first["id"], second["id"]}) == 3


async def test_an_event_of_another_session_opens_nothing():
    """Not even for the same token."""
    bench = Bench()
    async with bench.serving() as http:
        mine, other = await bench.session(http), await bench.session(http)
        async with bench.stream(http, "POST", mine, json=LATE) as told:
            last = (await anext(told))["id"]
        bench.release.set()
        async with bench.stream(http, "GET", other | {"last-event-id": last}) as told:
            assert [each async for each in told] == []


@pytest.mark.parametrize("last", ["no-event", "99999-00", "1" * 400, "-1-0"])
async def test_an_id_that_was_never_given_is_answered_with_nothing(last: str):
    """The stream ends at once."""
    bench = Bench()
    async with bench.serving() as http:
        headers = await bench.session(http)
        async with bench.stream(http, "GET", headers | {"last-event-id": last}) as told:
            assert [each async for each in told] == []


async def test_the_end_of_a_session_ends_the_streams_taken_up():
    """Whoever ends it."""
    bench = Bench()
    async with bench.serving() as http:
        headers = await bench.session(http)
        async with bench.stream(http, "GET", headers) as told:
            last = (await anext(told))["id"]
        async with bench.stream(http, "GET", headers | {"last-event-id": last}) as told:
            assert (await http.delete(bench.url, headers=headers)).status_code == 200
            assert [each async for each in told] == []
