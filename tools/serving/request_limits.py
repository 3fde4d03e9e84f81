"""What a request over HTTP must respect before, and while, anything reads it: how many there are at a time, plain Host
and Origin headers, and a body that arrives in time.

Tokens, the names in Host and Origin, and the size of bodies are checked behind this, where the body is read.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

import trio
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as HttpScope

BODY_SECONDS = 10.0
"""How long the body of a request may take to arrive."""
# The SDK takes any text behind the colon for a port, as in localhost:1.evil.example.
_PLAIN = re.compile(rb"(?:https?://)?(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
_REFUSALS = {b"host": (421, b"Invalid Host header\n"), b"origin": (403, b"Invalid Origin header\n")}
_SDK_LOGGER = "mcp.server.streamable_http"


class RequestLimits:
    """An application in front of another one. Requests beyond `most` at a time are refused at once, instead of queueing
    without bound."""

    def __init__(self, application: ASGIApp, most: int, body_seconds: float = BODY_SECONDS) -> None:
        self._application = application
        self._most = most
        self._body_seconds = body_seconds
        self._now = 0
        logging.getLogger(_SDK_LOGGER).addFilter(is_no_departure)

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
        elif (refusal := _refusal(scope)) is not None:
            await _refuse(send, *refusal)
        elif self._now >= self._most:
            await _refuse(send, 503, b"too many requests in flight\n", (b"retry-after", b"1"))
        else:
            self._now += 1
            try:
                body = _Body(receive, send, self._body_seconds)
                await self._application(scope, body.receive, body.send)
            finally:
                self._now -= 1


@dataclass(slots=True)
class _Body:
    """One request whose body has so many seconds from when it is first asked for."""

    _receive: Receive
    _send: Send
    _seconds: float
    _deadline: float | None = None
    _is_whole: bool = False
    _is_late: bool = False

    async def receive(self) -> Message:
        if self._is_whole:
            return await self._receive()
        if self._deadline is None:
            self._deadline = trio.current_time() + self._seconds
        with trio.move_on_at(self._deadline):
            message = await self._receive()
            self._is_whole = message["type"] != "http.request" or not message.get("more_body", False)
            return message
        self._is_whole = self._is_late = True
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """What the application makes of a body that ends early is told as what it is."""
        if self._is_late and message["type"] == "http.response.start":
            message = {**message, "status": 408}
        await self._send(message)


def is_no_departure(record: logging.LogRecord) -> bool:
    """Whether the SDK has more to tell than that a client went away in the midst of its request, which it does with a
    traceback."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, ClientDisconnect)


def _refusal(scope: HttpScope) -> tuple[int, bytes] | None:
    for name, value in scope["headers"]:
        if name in _REFUSALS and not _PLAIN.fullmatch(value):
            return _REFUSALS[name]
    return None


async def _refuse(send: Send, status: int, text: bytes, *headers: tuple[bytes, bytes]) -> None:
    start = {"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain"), *headers]}
    await send(start)
    await send({"type": "http.response.body", "body": text})
