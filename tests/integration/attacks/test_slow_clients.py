"""Clients that send or read slowly, or never, at a real server on real sockets. The others are served meanwhile."""

from __future__ import annotations

import resource
import socket
import struct
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress

import psutil
import pytest
import trio

from tests.support.attacked_server import (
    CONTROL,
    GENEROUS,
    INITIALIZE,
    READ,
    AttackedServer,
    attacked_server,
    call_of,
    closed_by_server,
    half_body,
    message,
    read_answer,
    request,
)

pytestmark = pytest.mark.integration

LONG = {"head": 600, "write": 600, "linger": 600}
SHORT = {"head": 0.5, "write": 0.2, "linger": 0.05}
ROOMY = {"connections": 400, "shares": {"requests": 300, "streams": 10, "strangers": 50}}


@pytest.fixture(scope="module")
def hasty() -> Iterator[AttackedServer]:
    """Deadlines of tens of milliseconds, room for everybody."""
    with attacked_server(body_seconds=0.05, timeouts=SHORT, **ROOMY) as server:
        yield server


@pytest.fixture(scope="module")
def patient() -> Iterator[AttackedServer]:
    """Deadlines that no test lives to see, little room: a client is served because another made room."""
    shares = {"requests": 8, "streams": 4, "strangers": 4}
    with attacked_server(body_seconds=600, timeouts=LONG, connections=24, sessions=5, shares=shares) as server:
        yield server


@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.nightly)])
async def test_200_half_bodies_are_closed_at_their_deadline(hasty: AttackedServer, rounds: int):
    """By clients that leave at that very moment, with and without a word, which is a race of three."""

    async def half(number: int) -> None:
        async with await hasty.connect() as stream:
            await stream.send_all(half_body())
            if number % 4:
                # A condition would be too late: the moment itself is the attack.
                await trio.sleep(0.04 + 0.0002 * number % 0.03)
            if number % 4 == 1:
                reset(stream)
            elif number % 4 == 2:
                with suppress(trio.BrokenResourceError):
                    await stream.send_eof()
            elif number % 4 == 0:
                answer = await closed_by_server(stream)
                assert not answer or answer.startswith(b"HTTP/1.1 408 ")

    for _ in range(rounds):
        with trio.fail_after(GENEROUS):
            async with trio.open_nursery() as nursery:
                for number in range(200):
                    nursery.start_soon(half, number)
        await hasty.serves()


def reset(stream: trio.SocketStream) -> None:
    """Closing is a reset from now on."""
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def test_headers_that_arrive_byte_by_byte_are_given_up(hasty: AttackedServer):
    """A deadline for each byte would never pass."""
    async with await hasty.connect() as stream:
        with trio.fail_after(GENEROUS):
            try:
                for byte in b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 10_000:
                    await stream.send_all(bytes([byte]))
                    await trio.sleep(0.01)
            except trio.BrokenResourceError:
                pass
    async with await hasty.connect() as stream:
        await stream.send_all(b"POST /mcp HTTP/1.1\r\nHo")
        assert (await closed_by_server(stream)).startswith(b"HTTP/1.1 408 ")
    async with await hasty.connect() as stream:
        assert await closed_by_server(stream) == b""
    await hasty.serves()


async def test_half_bodies_of_one_token_leave_room_for_both(patient: AttackedServer):
    """The bodies that have been awaited longest make room, and are told so; the other token has a share of its own."""
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(await patient.connect()) for _ in range(12)]
        for stream in streams:
            await stream.send_all(half_body())
        await patient.serves(CONTROL)
        await patient.serves(READ)
        given_up: list[int] = []
        with trio.fail_after(GENEROUS):
            async with trio.open_nursery() as nursery:
                for stream in streams:
                    nursery.start_soon(note_status, stream, given_up, nursery.cancel_scope)
        assert given_up == [408] * len(given_up)


async def note_status(stream: trio.SocketStream, statuses: list[int], enough: trio.CancelScope) -> None:
    statuses.append((await read_answer(stream)).status)
    if len(statuses) == 12 + 1 - 8:
        enough.cancel()


async def test_strangers_do_not_use_up_what_tokens_have(patient: AttackedServer):
    """They are told at once that they have none, whatever they send or do not send."""
    async with AsyncExitStack() as stack:
        for number in range(40):
            stream = await stack.enter_async_context(await patient.connect())
            await stream.send_all(half_body(None if number % 2 else "wrong"))
        await patient.serves(CONTROL)
        await patient.serves(READ)


async def test_idle_connections_make_room(patient: AttackedServer):
    """The one that waited longest goes first; one with a request under way stays."""
    async with AsyncExitStack() as stack:
        busy = await stack.enter_async_context(await patient.connect())
        await busy.send_all(half_body(CONTROL))
        streams = [await stack.enter_async_context(await patient.connect()) for _ in range(60)]
        for stream in streams[::2]:
            await stream.send_all(b"GET /mcp HT")
        await patient.serves()
        assert await closed_by_server(streams[1]) == b""
        await busy.send_all(b" " * (1000 - len(b'{"jsonrpc":')))
        with trio.fail_after(GENEROUS):
            assert (await read_answer(busy)).status == 400


async def test_a_token_has_so_many_sessions(patient: AttackedServer):
    """The least recently used idle one makes room; those of the other token stay, and so does one with a stream."""
    _, other = await patient.open_session(CONTROL)
    _, streaming = await patient.open_session(READ)
    async with await patient.connect() as stream:
        await stream.send_all(request(b"", READ, f"Mcp-Session-Id: {streaming}", method="GET"))
        assert b" 200 " in await stream.receive_some()
        sessions = [(await patient.open_session(READ)) for _ in range(30)]
        assert all(answer.status == 200 for answer, _ in sessions)
        assert await status_of(patient, sessions[0][1], READ) == 404
        assert await status_of(patient, sessions[-1][1], READ) == 200
        assert await status_of(patient, other, CONTROL) == 200
        assert await status_of(patient, streaming, READ) == 200
    await patient.serves(READ)


async def status_of(server: AttackedServer, session: str, token: str) -> int:
    return (await server.ask(message(call_of("echo", {"text": "a"}), token, f"Mcp-Session-Id: {session}"))).status


async def test_a_token_has_so_many_streams(patient: AttackedServer):
    """More are refused, as they last as long as their client likes; requests still come through."""
    async with AsyncExitStack() as stack:
        for _ in range(4):
            _, session = await patient.open_session(READ)
            stream = await stack.enter_async_context(await patient.connect())
            await stream.send_all(request(b"", READ, f"Mcp-Session-Id: {session}", method="GET"))
            with trio.fail_after(GENEROUS):
                assert b" 200 " in await stream.receive_some()
        _, session = await patient.open_session(READ)
        refused = await patient.ask(request(b"", READ, f"Mcp-Session-Id: {session}", method="GET"))
        assert refused.status == 503
        assert b"too many streams" in refused.body
        await patient.serves(CONTROL)
        await patient.serves(READ)


async def test_a_client_that_does_not_read_holds_up_nobody(hasty: AttackedServer):
    """Its answers are not made before it takes them: memory stays, and its connection is closed."""
    _, session = await hasty.open_session(READ)
    listing = message(
        {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}}, READ, f"Mcp-Session-Id: {session}"
    )
    before = psutil.Process(hasty.process.pid).memory_info().rss
    async with await hasty.connect() as stream:
        with trio.fail_after(GENEROUS):
            await send_until_closed(stream, listing * 20)
    await hasty.serves()
    assert psutil.Process(hasty.process.pid).memory_info().rss < before + (64 << 20)


async def send_until_closed(stream: trio.SocketStream, data: bytes) -> None:
    with suppress(trio.BrokenResourceError):
        while True:
            await stream.send_all(data)


async def test_the_server_outlives_the_end_of_its_descriptors(patient: AttackedServer):
    """A connection that cannot be accepted makes an idle one go."""
    process = psutil.Process(patient.process.pid)
    limits = process.rlimit(resource.RLIMIT_NOFILE)
    async with AsyncExitStack() as stack:
        process.rlimit(resource.RLIMIT_NOFILE, (process.num_fds() + 6, limits[1]))
        try:
            for _ in range(20):
                await stack.enter_async_context(await patient.connect())
            await patient.serves()
        finally:
            process.rlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.nightly
async def test_the_server_ends_while_nobody_reads_and_nobody_finishes():
    """In its own time: no client can keep it."""
    with attacked_server(body_seconds=600, timeouts=LONG) as server:
        _, session = await server.open_session(READ)
        listing = message(INITIALIZE | {"method": "tools/list"}, READ, f"Mcp-Session-Id: {session}") * 20
        async with AsyncExitStack() as stack:
            for _ in range(5):
                stream = await stack.enter_async_context(await server.connect())
                await stream.send_all(half_body())
            stream = await stack.enter_async_context(await server.connect())
            with trio.move_on_after(1):  # less would do: it is stuck whenever this ends
                while True:
                    await stream.send_all(listing)
            assert server.process.stdin is not None
            server.process.stdin.close()
            assert await trio.to_thread.run_sync(server.process.wait, GENEROUS) == 0
            server.ended = True
