"""Streamable HTTP: a real server on a free port, real clients."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager, suppress

import httpx2
import pytest
import trio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from tests.support.patience import PATIENCE
from tools.dispatcher import Dispatcher
from tools.serving.access import Tokens, is_loopback, new_tokens
from tools.serving.binding import build_server
from tools.serving.credentials import Credentials
from tools.serving.facade import Facade
from tools.serving.http import CannotListen, HttpNotAllowed, HttpSettings, http_caller, http_server
from tools.serving.request_limits import CredentialLimits, RequestLimits
from tools.serving.subscriptions import Subscriptions

pytestmark = [
    pytest.mark.integration,
    # Generators of the client's HTTP library are collected on trio, see its issue tracker.
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]

TOKENS = Tokens("control-token-of-tests", "read-token-of-tests")
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@asynccontextmanager
async def serving(dispatcher: Dispatcher, tokens: Tokens | None = TOKENS, **settings: object):
    server = build_server(Facade(dispatcher=dispatcher), Subscriptions(), http_caller)
    with trio.fail_after(PATIENCE):
        async with http_server(server, HttpSettings(tokens=tokens, **settings)) as url:
            yield url


@asynccontextmanager
async def connected(url: str, token: str, mode: str = "auto"):
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_scopes_decide_what_a_token_may_call(dispatcher: Dispatcher, mode: str):
    """The control token everything, the read token what changes nothing."""
    async with serving(dispatcher) as url:
        async with connected(url, TOKENS.control, mode) as client:
            assert (await client.call_tool("steer", {"text": "a"})).structured_content == {"text": "a"}
        async with connected(url, TOKENS.read, mode) as client:
            assert (await client.call_tool("echo", {"text": "a"})).structured_content == {"text": "a"}
            refused = await client.call_tool("steer", {"text": "a"})
            assert "FORBIDDEN" in refused.content[0].text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Basic {TOKENS.control}"}, 401),
        ({"authorization": f"Bearer {TOKENS.read}"}, 200),
        ({"authorization": f"Bearer {TOKENS.read}", "origin": "http://evil.example"}, 403),
        ({"authorization": f"Bearer {TOKENS.read}", "host": "evil.example"}, 421),
        ({"authorization": f"Bearer {TOKENS.read}", "origin": "http://localhost:3000"}, 200),
        ({"authorization": f"Bearer {TOKENS.read}", "origin": "http://localhost:3000.evil.example"}, 403),
        ({"authorization": f"Bearer {TOKENS.read}", "origin": "http://localhost:1@evil.example"}, 403),
        ({"authorization": f"Bearer {TOKENS.read}", "origin": "null"}, 403),
        ({"authorization": f"Bearer {TOKENS.read}", "host": "localhost:80.evil.example"}, 421),
        ({"authorization": f"Bearer {TOKENS.read}", "host": "[::1]:8080"}, 200),
    ],
)
async def test_strangers_and_rebound_names_are_turned_away(dispatcher: Dispatcher, headers: dict, status: int):
    """Before any tool is reached."""
    async with serving(dispatcher) as url, httpx2.AsyncClient() as http:
        response = await http.post(url, json=INITIALIZE, headers=HEADERS | headers)
        assert response.status_code == status


async def test_large_bodies_and_too_many_requests_are_refused(dispatcher: Dispatcher):
    """At once, with the status that says so."""
    async with serving(dispatcher, tokens=None) as url, httpx2.AsyncClient() as http:
        response = await http.post(url, content=b'{"a":"' + b"x" * (5 << 20) + b'"}', headers=HEADERS)
        assert response.status_code == 413
    async with (
        serving(dispatcher, tokens=None, shares=CredentialLimits(requests=0)) as url,
        httpx2.AsyncClient() as http,
    ):
        response = await http.post(url, json=INITIALIZE, headers=HEADERS)
        assert (response.status_code, response.headers["retry-after"]) == (503, "1")


async def test_bodies_that_do_not_arrive_in_time_are_given_up():
    """So that nobody holds a place with a body that never ends."""
    sent: list[int] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientDisconnect):
            await Request(scope, receive).body()
        await PlainTextResponse("", 500)(scope, receive, send)

    async def receive() -> Message:
        await trio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def send(message: Message) -> None:
        sent.append(message.get("status", 0))

    limits = RequestLimits(application, Credentials(None), CredentialLimits(), body_seconds=0.05)
    with trio.fail_after(PATIENCE):
        await limits({"type": "http", "method": "POST", "headers": []}, receive, send)
    assert sent == [408, 0]


async def test_eight_clients_are_served_at_once(dispatcher: Dispatcher):
    """Of both eras, each with its own answers."""
    answered = []

    async def work(url: str, number: int) -> None:
        async with connected(url, TOKENS.control, "legacy" if number % 2 else "auto") as client:
            for turn in range(5):
                answer = await client.call_tool("steer", {"text": f"{number}/{turn}"})
                answered.append(answer.structured_content["text"])

    async with serving(dispatcher) as url, trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(work, url, number)
    assert sorted(answered) == sorted(f"{number}/{turn}" for number in range(8) for turn in range(5))


async def test_without_tokens_only_loopback_is_served(dispatcher: Dispatcher):
    """Anyone who reaches the port could steer."""
    with pytest.raises(HttpNotAllowed, match=r"0\.0\.0\.0"):
        async with serving(dispatcher, tokens=None, host="0.0.0.0"):
            raise AssertionError
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9", "0.0.0.0", "example.org")] == [
        True,
        True,
        True,
        True,
        False,
        False,
    ]


async def test_a_taken_port_is_named(dispatcher: Dispatcher):
    """Alone, not inside exception groups."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=str(port)):
            async with serving(dispatcher, port=port):
                raise AssertionError
    with pytest.raises(CannotListen, match="no-such-host"):
        async with serving(dispatcher, host="no-such-host.invalid"):
            raise AssertionError


async def test_the_server_ends_while_clients_are_waiting(dispatcher: Dispatcher):
    """Within its grace, whatever is open."""
    async with serving(dispatcher, tokens=None) as url, httpx2.AsyncClient(timeout=PATIENCE) as http:
        response = await http.post(url, json=INITIALIZE, headers=HEADERS)
        session = {"mcp-session-id": response.headers["mcp-session-id"], "accept": "text/event-stream"}
        request = http.build_request("GET", url, headers=session)
        stream = await http.send(request, stream=True)
        assert stream.status_code == 200
        await stream.aclose()


def test_tokens_are_random():
    """And never the same for both scopes."""
    assert len({*new_tokens().__struct_fields__}) == 2
    assert len({new_tokens().control, new_tokens().control, new_tokens().read}) == 3
