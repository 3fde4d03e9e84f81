"""Garbage, and much of it, at a real server on real sockets. It answers what it can and serves the next one."""

from __future__ import annotations

import json
import os
import random
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trio

from tests.support.attacked_server import (
    CONTROL,
    GENEROUS,
    READ,
    ROOT,
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

HOST = b"Host: localhost\r\n"
WEBSOCKET = (
    b"GET /mcp HTTP/1.1\r\n" + HOST + b"Connection: upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
H2C = (
    b"GET /mcp HTTP/1.1\r\n"
    + HOST
    + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: !!\r\n\r\n"
)
CHUNKED = request(b"", READ, "Transfer-Encoding: chunked").replace(b"Content-Length: 0\r\n", b"")
GARBAGE = {
    "zeros": (b"\0" * 100_000, 400),
    "newlines": (b"\r\n" * 10_000, None),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xaa" * 500, 400),
    "SSH": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", 400),
    "HTTP/2 at once": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 100, 505),
    "HTTP/2 by upgrade": (H2C + b"\xff" * 100, 401),
    "WebSocket": (WEBSOCKET + b"\xff" * 100, 401),
    "HTTP/0.9": (b"GET /mcp\r\n\r\n", 400),
    "HTTP/9.9": (b"GET /mcp HTTP/9.9\r\n" + HOST + b"\r\n", 505),
    "no host": (b"GET /mcp HTTP/1.1\r\n\r\n", 400),
    "two hosts": (b"GET /mcp HTTP/1.1\r\n" + HOST + b"Host: evil\r\n\r\n", 400),
    "headers without end": (b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 200_000, 431),
    "many headers": (b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: y\r\n" * 50_000 + b"\r\n", 431),
    "long path": (b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\n", 431),
    "path with NUL": (b"GET /mcp%00 HTTP/1.1\r\n" + HOST + b"\r\n", 404),
    "path of dots": (b"GET /../../etc/passwd HTTP/1.1\r\n" + HOST + b"\r\n", 404),
    "path that is no UTF-8": (b"GET /%ff%fe%80 HTTP/1.1\r\n" + HOST + b"\r\n", 404),
    "path with escape": (b"GET /%1b[31m HTTP/1.1\r\n" + HOST + b"\r\n", 404),
    "path elsewhere": (b"GET http://evil.example/mcp HTTP/1.1\r\n" + HOST + b"\r\n", 404),
    "tunnel": (b"CONNECT evil.example:443 HTTP/1.1\r\n" + HOST + b"\r\n", 404),
    "star": (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", 404),
    "unknown method": (request(b"", READ, method="BREW"), 405),
    "HEAD": (request(b"", READ, method="HEAD"), 405),
    "escape in a header": (b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: \x1b[31m\r\n\r\n", 400),
    "huge length": (b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n", 400),
    "large length": (request(b"", READ, length=10**18), 413),
    "negative length": (request(b"", READ, length=-1), 400),
    "two lengths": (request(b"{}", READ, "Content-Length: 3"), 400),
    "length and chunks": (request(b"0\r\n\r\n", READ, "Transfer-Encoding: chunked"), 400),
    "unknown encoding": (request(b"", READ, "Transfer-Encoding: gzip, chunked"), 501),
    "bad chunk": (CHUNKED + b"zz\r\n", 400),
    "huge chunk": (CHUNKED + b"f" * 30 + b"\r\n", 400),
    "chunk without end": (CHUNKED + b"5;" + b"x" * 200_000, 400),
    "too many chunks": (CHUNKED + b"1\r\nx\r\n" * 10_000 + b"0\r\n\r\n", 400),
    "large body in chunks": (CHUNKED + b"100000\r\n" + (b"x" * 0x100000 + b"\r\n100000\r\n") * 5, 413),
    "host of a stranger": (request().replace(b"Host: localhost", b"Host: evil.example"), 421),
    "origin of a stranger": (request(b"", READ, "Origin: http://evil.example"), 403),
    "session that is not there": (request(b"{}", READ, "Mcp-Session-Id: " + "x" * 5_000), 404),
    "session with odd bytes": (request(b"{}", READ, "Mcp-Session-Id: \xff\xfe"), 404),
    "token with odd bytes": (request(b"{}", "\xff\xfe"), 401),
    "long token": (request(b"{}", "x" * 10_000), 401),
}


@pytest.fixture(scope="module")
def server() -> Iterator[AttackedServer]:
    timeouts = {"head": GENEROUS, "write": GENEROUS, "linger": 0.1}
    with attacked_server(body_seconds=GENEROUS, timeouts=timeouts) as attacked:
        yield attacked


async def test_garbage_is_answered_with_its_status(server: AttackedServer):
    """Or with nothing, where it is no attempt at a request."""

    async def attempt(name: str) -> None:
        data, status = GARBAGE[name]
        async with await server.connect() as stream:
            received = b""
            with trio.fail_after(GENEROUS):
                try:
                    await stream.send_all(data)
                    await stream.send_eof()
                except trio.BrokenResourceError:
                    pass
                received = await closed_by_server(stream)
        if status is not None and received:
            assert received.startswith(b"HTTP/1.1 %d " % status), (name, received)
        assert received or status in (None, 400, 413, 431), name

    async with trio.open_nursery() as nursery:
        for name in GARBAGE:
            nursery.start_soon(attempt, name)
    await server.serves()


@pytest.mark.parametrize("attempts", [300, pytest.param(20_000, marks=pytest.mark.nightly)])
async def test_requests_with_flipped_bytes(server: AttackedServer, attempts: int):
    """Cut, repeated and damaged anywhere, closed with and without a word."""
    generator = random.Random(attempts)
    honest = message(call_of("echo", {"text": "a"}), READ)
    limiter = trio.CapacityLimiter(20)

    async def attempt(data: bytes, end: int) -> None:
        async with limiter, await server.connect() as stream:
            with trio.fail_after(GENEROUS):
                try:
                    await stream.send_all(data)
                    if end == 0:
                        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    elif end == 1:
                        await stream.send_eof()
                        await stream.receive_some()
                except trio.BrokenResourceError:
                    pass

    async with trio.open_nursery() as nursery:
        for _ in range(attempts):
            nursery.start_soon(attempt, damaged(honest, generator), generator.randrange(3))
    await server.serves()


def damaged(data: bytes, generator: random.Random) -> bytes:
    changed = bytearray(data * generator.choice([1, 1, 1, 3]))
    for _ in range(generator.choice([0, 1, 1, 2, 5, 50])):
        changed[generator.randrange(len(changed))] = generator.randrange(256)
    if generator.random() < 0.5:
        del changed[generator.randrange(len(changed)) :]
    return bytes(changed)


async def test_requests_sent_ahead_are_answered_in_their_order(server: AttackedServer):
    """One after the other, each once."""
    _, session = await server.open_session(READ)
    calls = [
        message(call_of("echo", {"text": str(number)}, number), READ, f"Mcp-Session-Id: {session}")
        for number in range(50)
    ]
    async with await server.connect() as stream:
        with trio.fail_after(GENEROUS):
            await stream.send_all(b"".join(calls))
            received = b""
            while received.count(b'"structuredContent"') < 50:
                received += await stream.receive_some()
    texts = re.findall(rb'"structuredContent":\{"text":"(\d+)"', received)
    assert texts == [str(number).encode() for number in range(50)]


async def test_ids_that_repeat_are_answered(server: AttackedServer):
    """Each request is its own, whatever it calls itself."""
    _, session = await server.open_session(READ)
    data = message(call_of("echo", {"text": "a"}, "same"), READ, f"Mcp-Session-Id: {session}")
    for _ in range(5):
        assert (await server.ask(data)).message()["result"]["structuredContent"] == {"text": "a"}


async def test_a_kept_connection_serves_one_request_after_the_other(server: AttackedServer):
    """Also after answers that are errors, where the whole request was read."""
    _, session = await server.open_session(READ)
    honest = message(call_of("echo", {"text": "a"}), READ, f"Mcp-Session-Id: {session}")
    async with await server.connect() as stream:
        with trio.fail_after(GENEROUS):
            for data, status in [(honest, 200), (request(b"{}", READ), 400), (honest, 200), (request(b"", None), 401)]:
                await stream.send_all(data)
                assert (await read_answer(stream)).status == status


async def test_clients_cannot_write_the_log(server: AttackedServer):
    """What they send is escaped, and a flood of it is a line a second at most, whose rest is counted."""
    before, began = server.log().count(b"\n"), time.monotonic()
    evil = "\x85\x9b31m" + "x" * 200
    for number in range(100):
        bad = request(b"{}", READ, f"Origin: http://{number}.evil.example", f"X: {evil}")
        assert (await server.ask(bad)).status == 403
        await server.ask(message(call_of("\x1b[31m\n\r" * 20)))
    await server.serves(CONTROL)
    log = server.log()
    # Several loggers have a line a second each.
    assert log.count(b"\n") - before <= 4 * (time.monotonic() - began + 1)
    assert b"evil.example" in log
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f-\xff]", log)


@pytest.mark.nightly
async def test_a_campaign_outlives_a_flood_at_its_port(tmp_path: Path):
    """And ends as if nothing had been, when an honest agent says so."""
    with campaign_with_a_port(tmp_path) as (campaign, token):
        async with trio.open_nursery() as nursery:
            for data, _ in GARBAGE.values():
                nursery.start_soon(throw, campaign, data)
            for _ in range(300):
                nursery.start_soon(throw, campaign, half_body(None))
        _, session = await campaign.open_session(token)
        header = f"Mcp-Session-Id: {session}"
        with trio.fail_after(GENEROUS):
            while not await calls_of(campaign, request_of("status", token, header)):  # noqa: ASYNC110
                await trio.sleep(0.05)
        await campaign.ask(request_of("stop_campaign", token, header))
        report, _ = await trio.to_thread.run_sync(campaign.process.communicate, None, GENEROUS)
    assert campaign.process.returncode == 0
    assert json.loads(report)["campaign"]["stopReason"] == "stopped on request"


@contextmanager
def campaign_with_a_port(folder: Path) -> Iterator[tuple[AttackedServer, str]]:
    """A `fuzz` command over fake workers that serves agents, and the token with control."""
    script = json.dumps({"seconds_per_frame": 0.002, "falsify": {}})
    program = [sys.executable, "-m", "tests.support.agents_program", script]
    fuzz = ["fuzz", "tests/support/campaign_program.py", "--mcp-port", "0", "--timeout", "600", "--format", "json"]
    with subprocess.Popen(
        [*program, *fuzz],
        cwd=ROOT,
        env=os.environ | {"XDG_STATE_HOME": str(folder), "HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stderr is not None
            told = b""
            while b"kept in" not in told:
                told += process.stderr.readline()
            port = int(re.search(rb"agents connect to http://[^:]+:(\d+)", told).group(1))
            token = re.search(rb"token with control: (\S+)", told).group(1).decode()
            yield AttackedServer(process, port, process.stderr), token
        finally:
            process.kill()


def request_of(tool: str, token: str, header: str) -> bytes:
    return message(call_of(tool), token, header)


async def calls_of(campaign: AttackedServer, status: bytes) -> int:
    result = (await campaign.ask(status)).message()["result"]
    return 0 if result.get("isError") else result["structuredContent"]["calls"]


async def throw(server: AttackedServer, data: bytes) -> None:
    with suppress(trio.BrokenResourceError, OSError):
        async with await server.connect() as stream:
            await stream.send_all(data)
            await stream.send_eof()
