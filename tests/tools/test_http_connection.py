"""HTTP/1.1 between a socket and an ASGI application."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.support.patience import PATIENCE
from tools.serving.complaints import Complaints
from tools.serving.http_connection import HttpConnection, Timeouts

GET = b"GET /a?b=c HTTP/1.1\r\nHost: h\r\n\r\n"
Lines = list[str]


@asynccontextmanager
async def connection(
    application: ASGIApp, timeouts: Timeouts | None = None, complaints: Lines | None = None
) -> AsyncIterator[trio.SocketStream]:
    """The client's end of a connection that is served."""
    ours, theirs = map(trio.SocketStream, map(trio.socket.from_stdlib_socket, socket.socketpair()))
    log = Complaints(log=lambda text, **_: (complaints if complaints is not None else []).append(text))
    served = HttpConnection(theirs, application, timeouts or Timeouts(linger=0.1), log)

    async def serve() -> None:
        async with theirs:
            await served.serve()

    with trio.fail_after(PATIENCE):
        async with ours, trio.open_nursery() as nursery:
            nursery.start_soon(serve)
            yield ours
            await ours.aclose()


def answering(respond: Callable[[Request], Awaitable[PlainTextResponse]]) -> ASGIApp:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await (await respond(Request(scope, receive)))(scope, receive, send)

    return application


@answering
async def echo(request: Request) -> PlainTextResponse:
    body = await request.body()
    return PlainTextResponse(f"{request.method} {request.url.path} {request.url.query} {body.decode(errors='replace')}")


async def rest(stream: trio.SocketStream) -> bytes:
    """Everything until the server closes."""
    received = b""
    while data := await stream.receive_some():
        received += data
    return received


async def until(stream: trio.SocketStream, end: bytes) -> bytes:
    received = b""
    while not received.endswith(end):
        data = await stream.receive_some()
        assert data, received
        received += data
    return received


async def test_requests_follow_each_other_on_one_connection():
    """With bodies of known length, in chunks, and none."""
    post = b"POST /a HTTP/1.1\r\nHost: h\r\n"
    async with connection(echo) as stream:
        await stream.send_all(GET)
        await until(stream, b"\r\n\r\nGET /a b=c ")
        await stream.send_all(post + b"Content-Length: 5\r\n\r\nhello")
        await until(stream, b"\r\n\r\nPOST /a  hello")
        await stream.send_all(post + b"Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")
        await until(stream, b"\r\n\r\nPOST /a  hello")
        await stream.send_all(post + b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        await until(stream, b"HTTP/1.1 100 \r\n\r\n")
        await stream.send_all(b"ok")
        await until(stream, b"\r\n\r\nPOST /a  ok")


@pytest.mark.parametrize("head", [b"GET / HTTP/1.0\r\n\r\n", b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"])
async def test_a_client_that_wants_one_answer_gets_one(head: bytes):
    """Older ones, and those that say so."""
    async with connection(echo) as stream:
        await stream.send_all(head + GET)
        assert (await rest(stream)).count(b"HTTP/1.1 200") == 1


async def test_heads_have_no_body():
    """But the length that a body would have."""
    async with connection(echo) as stream:
        await stream.send_all(b"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
        assert b"content-length: 8" in await until(stream, b"\r\n\r\n")
        await stream.send_all(GET)
        await until(stream, b"\r\n\r\nGET /a b=c ")


async def test_a_bug_costs_one_answer():
    """500 where nothing was said yet, else the end of the connection; one line in the log."""

    async def crash(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["query_string"]:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"half", "more_body": True})
        async with trio.open_nursery():
            raise ZeroDivisionError

    for target, expected in ((b"/", b"HTTP/1.1 500 "), (b"/?half", b"HTTP/1.1 200 ")):
        complaints: Lines = []
        async with connection(crash, complaints=complaints) as stream:
            await stream.send_all(GET.replace(b"/a?b=c", target))
            received = await rest(stream)
        assert received.startswith(expected)
        assert not received.endswith(b"0\r\n\r\n"), "the answer is not whole"
        assert complaints == ["a request over HTTP failed unexpectedly"]


async def test_an_application_that_says_nothing_is_answered_for():
    """A client does not wait for ever."""

    async def silent(scope: Scope, receive: Receive, send: Send) -> None:
        await trio.lowlevel.checkpoint()

    async with connection(silent) as stream:
        await stream.send_all(GET)
        assert (await rest(stream)).startswith(b"HTTP/1.1 500 ")


async def test_an_answer_before_the_body_ends_the_connection_and_arrives():
    """Though the client is still sending."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("no", 403)(scope, receive, send)

    async with connection(refuse, Timeouts(linger=60)) as stream:
        await stream.send_all(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9000000\r\n\r\n")
        for _ in range(50):
            await stream.send_all(b"x" * 65_536)
        received = await rest(stream)
        assert received.startswith(b"HTTP/1.1 403 ")
        assert b"connection: close" in received


async def test_an_application_learns_that_its_client_has_left():
    """While it streams an answer."""
    left = trio.Event()

    async def stream_forever(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while (await receive())["type"] != "http.disconnect":
            pass
        await send({"type": "http.response.body", "body": b"nobody reads this", "more_body": True})
        left.set()

    async with connection(stream_forever) as stream:
        await stream.send_all(GET)
        await until(stream, b"\r\n\r\n")
        await stream.aclose()
        await left.wait()


async def test_a_client_that_reads_nothing_is_given_up():
    """After the time that it has for a piece of the answer; the application is not held any longer."""
    sent = 0

    async def flood(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal sent
        await send({"type": "http.response.start", "status": 200, "headers": []})
        async with trio.open_nursery() as nursery:
            nursery.start_soon(write_forever, send)
            while (await receive())["type"] != "http.disconnect":
                pass
            nursery.cancel_scope.cancel()

    async def write_forever(send: Send) -> None:
        nonlocal sent
        while True:
            await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
            sent += 100_000
            await trio.lowlevel.checkpoint()

    ended = trio.Event()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await flood(scope, receive, send)
        ended.set()

    async with connection(application, Timeouts(write=0.05, linger=0.05)) as stream:
        await stream.send_all(GET)
        await ended.wait()
    assert sent < 20_000_000


async def test_what_is_sent_ahead_is_bounded_while_an_answer_is_made():
    """The rest stays in the client."""
    go = trio.Event()

    @answering
    async def slow(request: Request) -> PlainTextResponse:
        await request.body()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(request.receive)
            await go.wait()
            nursery.cancel_scope.cancel()
        return PlainTextResponse("done")

    async with connection(slow) as stream, trio.open_nursery() as nursery:
        await stream.send_all(GET)
        with trio.move_on_after(0.5) as stuck:
            while True:
                await stream.send_all(GET * 100)
        assert stuck.cancelled_caught
        go.set()
        await until(stream, b"done")
        nursery.cancel_scope.cancel()


@given(
    st.lists(
        st.binary(max_size=60) | st.sampled_from([GET, b"\r\n", b"\r\n\r\n", b"Content-Length: 3\r\n"]), max_size=8
    )
)
@settings(deadline=None, max_examples=60)
def test_whatever_a_client_sends_ends_its_connection_at_most(parts: list[bytes]):
    """Without an exception, and without a line in the log."""

    async def play() -> None:
        complaints: Lines = []
        async with connection(echo, Timeouts(0.05, 0.05, 0.01), complaints) as stream:
            try:
                for part in parts:
                    await stream.send_all(part)
                await stream.send_eof()
                await rest(stream)
            except trio.BrokenResourceError:
                pass
        assert complaints == []

    trio.run(play)
