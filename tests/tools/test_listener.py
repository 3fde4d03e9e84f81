"""A listening socket and its connections, with clients on real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
import trio
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.support.attacked_server import ClosedEarlyError, read_answer
from tests.support.patience import PATIENCE
from tools.serving.complaints import Complaints
from tools.serving.http_connection import HttpConnection, Timeouts
from tools.serving.listener import CannotListen, ConnectionServer, bound_socket, url_of

GET = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(scope["client"][0])(scope, receive, send)


class Served:
    def __init__(self, port: int, complaints: list[str]) -> None:
        self.port = port
        self.complaints = complaints

    async def connect(self, source: str = "127.0.0.1") -> trio.SocketStream:
        return await trio.open_tcp_stream("127.0.0.1", self.port, local_address=source)

    async def is_answered(self, stream: trio.SocketStream) -> bool:
        try:
            await stream.send_all(GET)
            return (await read_answer(stream)).status == 200
        except (trio.BrokenResourceError, ClosedEarlyError):
            return False


@asynccontextmanager
async def served(most: int = 4) -> AsyncIterator[Served]:
    complaints: list[str] = []
    log = Complaints(log=lambda text, **_: complaints.append(text))
    connections = ConnectionServer(hello, Timeouts(600, 600, 0.1), most, log)
    listener, stop = bound_socket("127.0.0.1", 0), trio.Event()
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connections.serve, trio.SocketListener(trio.socket.from_stdlib_socket(listener)), stop)
            yield Served(listener.getsockname()[1], complaints)
            stop.set()


async def test_an_error_in_a_connection_ends_that_one(monkeypatch: pytest.MonkeyPatch):
    """In groups or alone; the others are served, and one line says so."""
    honest = HttpConnection.serve
    errors = [trio.BusyResourceError("busy"), RuntimeError("odd"), ExceptionGroup("", [trio.BusyResourceError("busy")])]

    async def serve(self: HttpConnection) -> None:
        if errors:
            async with trio.open_nursery():
                raise errors.pop()
        await honest(self)

    monkeypatch.setattr(HttpConnection, "serve", serve)
    async with served() as server:
        for _ in range(3):
            async with await server.connect() as stream:
                with pytest.raises((AssertionError, trio.BrokenResourceError)):
                    assert await stream.receive_some()
        async with await server.connect() as stream:
            assert await server.is_answered(stream)
    assert server.complaints == ["a connection ended in an error"]


async def test_the_address_with_the_most_connections_makes_room():
    """With the one that has waited longest; other addresses keep theirs."""
    async with served(most=4) as server, AsyncExitStack() as stack:

        async def answered(source: str) -> trio.SocketStream:
            stream = await stack.enter_async_context(await server.connect(source))
            assert await server.is_answered(stream)
            return stream

        modest = await answered("127.0.0.1")
        greedy = [await answered("127.0.0.2") for _ in range(3)]
        await answered("127.0.0.3")
        assert await server.is_answered(modest)
        assert [await server.is_answered(stream) for stream in greedy] == [False, True, True]


async def test_a_taken_port_is_named():
    """And so is a host that is none."""
    with bound_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert url_of(taken) == f"http://127.0.0.1:{port}"
        with pytest.raises(CannotListen, match=f"127.0.0.1:{port}"):
            bound_socket("127.0.0.1", port)
    with pytest.raises(CannotListen, match="no-such-host"):
        bound_socket("no-such-host.invalid", 0)
