"""A server process under attack, with what attackers and an honest client need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import trio

from tests.support.attacked_server_program import TOKENS
from tests.support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
GENEROUS = PATIENCE
"""Seconds for anything that should happen at once."""
CONTROL, READ = TOKENS.control, TOKENS.read
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
}


def call_of(name: str, arguments: dict | None = None, identity: object = 1) -> dict:
    params = {"name": name, "arguments": arguments or {}}
    return {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}


def request(
    body: bytes = b"", token: str | None = READ, *headers: str, method: str = "POST", length: int | None = None
) -> bytes:
    """A request as it goes over the wire; `length` is what it claims of its body."""
    lines = [f"{method} /mcp HTTP/1.1", "Host: localhost", "Accept: application/json, text/event-stream"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    if method == "POST":
        lines += ["Content-Type: application/json", f"Content-Length: {len(body) if length is None else length}"]
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1") + body


def message(content: dict, token: str | None = READ, *headers: str) -> bytes:
    return request(json.dumps(content).encode(), token, *headers)


def half_body(token: str | None = READ) -> bytes:
    return request(b'{"jsonrpc":', token, length=1000)


class ClosedEarlyError(Exception):
    """The server has closed a connection that still owes an answer."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def message(self) -> dict:
        """The one message of the body, which is strict JSON."""
        text = self.body.decode()
        if "text/event-stream" in self.headers.get("content-type", ""):
            lines = (line.removeprefix("data:").strip() for line in text.split("\n") if line.startswith("data:"))
            text = next(line for line in lines if line)  # an event that opens the stream has none
        return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


@dataclass
class AttackedServer:
    process: subprocess.Popen
    port: int
    _log: IO[bytes]
    ended: bool = False
    """A test has ended it itself."""

    def log(self) -> bytes:
        """The server's stderr so far."""
        return os.pread(self._log.fileno(), 1 << 24, 0)

    async def connect(self) -> trio.SocketStream:
        return await trio.open_tcp_stream("127.0.0.1", self.port)

    async def ask(self, data: bytes) -> Answer:
        """Send something on a new connection and read the first answer, generously long. Where the server closes before
        it answers, which it may do when this process was slow to send, that is done again."""
        with trio.fail_after(GENEROUS):
            while True:
                with suppress(ClosedEarlyError, trio.BrokenResourceError):
                    async with await self.connect() as stream:
                        await stream.send_all(data)
                        return await read_answer(stream)

    async def open_session(self, token: str = READ) -> tuple[Answer, str]:
        answer = await self.ask(message(INITIALIZE, token))
        return answer, answer.headers.get("mcp-session-id", "")

    async def serves(self, token: str = CONTROL) -> None:
        """An honest client begins a session, calls a tool and leaves."""
        answer, session = await self.open_session(token)
        assert answer.status == 200, answer
        answer = await self.ask(message(call_of("echo", {"text": "a"}), token, f"Mcp-Session-Id: {session}"))
        assert answer.message()["result"]["structuredContent"] == {"text": "a"}
        answer = await self.ask(request(b"", token, f"Mcp-Session-Id: {session}", method="DELETE"))
        assert answer.status == 200
        assert self.process.poll() is None


async def read_answer(stream: trio.abc.ReceiveStream) -> Answer:
    """One answer; its body by its length, or until its last chunk."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += await _more(stream)
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if "content-length" in headers:
        while len(body) < int(headers["content-length"]):
            body += await _more(stream)
    elif "chunked" in headers.get("transfer-encoding", ""):
        while not body.endswith(b"0\r\n\r\n"):
            body += await _more(stream)
        body = _unchunked(body)
    return Answer(int(first.split()[1]), headers, body)


def _unchunked(body: bytes) -> bytes:
    whole = b""
    while True:
        size, _, rest = body.partition(b"\r\n")
        if not int(size, 16):
            return whole
        whole += rest[: int(size, 16)]
        body = rest[int(size, 16) + 2 :]


async def _more(stream: trio.abc.ReceiveStream) -> bytes:
    data = await stream.receive_some()
    if not data:
        raise ClosedEarlyError("the connection was closed before the answer was whole")
    return data


async def closed_by_server(stream: trio.abc.ReceiveStream) -> bytes:
    """Bytes that arrive until the server closes the connection, generously long."""
    received = b""
    with trio.fail_after(GENEROUS):
        try:
            while data := await stream.receive_some():
                received += data
        except trio.BrokenResourceError:
            pass
    return received


@contextmanager
def attacked_server(**settings: object) -> Iterator[AttackedServer]:
    """A server process. At the end of the block it is still there, leaves when told, and has shown no traceback."""
    command = [sys.executable, "-m", "tests.support.attacked_server_program", json.dumps(settings)]
    with (
        TemporaryFile() as log,
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log) as process,
    ):
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            url = process.stdout.readline().decode()
            server = AttackedServer(process, int(url.rpartition(":")[2].partition("/")[0]), log)
            yield server
            assert process.poll() is None or server.ended, "the server has ended"
            process.stdin.close()
            assert process.wait(GENEROUS) == 0
        finally:
            process.kill()
            text = os.pread(log.fileno(), 1 << 24, 0)
            print(text.decode(errors="replace"))
        assert b"Traceback" not in text, text.decode(errors="replace")
