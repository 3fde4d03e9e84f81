"""Limits on a request over HTTP, before and while it is read: how many of its credential there are at a
time, plain Host and Origin headers, and a body that arrives in time.

Tokens, the names in Host and Origin, and the size of bodies are checked behind this, where the body is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import trio
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as HttpScope

from tools.serving.credentials import STRANGER, Credentials

BODY_SECONDS = 10.0
"""How long the body of a request may take to arrive."""
MAX_REQUESTS = 96
MAX_STREAMS = 48
MAX_STRANGERS = 16
MAX_BODY_BYTES = 8 << 20
SMALL_BODY = 64 << 10
"""Bytes that a body may have however much the others have."""
# The SDK takes any text behind the colon for a port, as in localhost:1.evil.example.
_PLAIN = re.compile(rb"(?:https?://)?(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
_REFUSALS = {b"host": (421, b"Invalid Host header\n"), b"origin": (403, b"Invalid Origin header\n")}


@dataclass(frozen=True, slots=True)
class CredentialLimits:
    """Limits per credential: how many requests are served at a time, how many of these may be streams of updates, how
    many requests there are of clients without a known token together, and how many bytes the bodies of a credential
    have.
    """

    requests: int = MAX_REQUESTS
    streams: int = MAX_STREAMS
    strangers: int = MAX_STRANGERS
    body_bytes: int = MAX_BODY_BYTES

    @classmethod
    def of_connections(cls, most: int) -> CredentialLimits:
        """Shares that leave room for the other credentials among `most` connections."""
        share = max(1, min(MAX_REQUESTS, most * 3 // 8))
        return cls(share, max(1, share // 2), max(1, min(MAX_STRANGERS, most // 8)))


class RequestLimits:
    """An application in front of another one. Each credential has its own share of places: what one uses up, the others
    still have. Where a share is used up, the body that has been awaited longest makes room; where all bodies have
    arrived, the request is refused at once instead of queueing without bound."""

    def __init__(
        self,
        application: ASGIApp,
        credentials: Credentials,
        shares: CredentialLimits,
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self._application = application
        self._credentials = credentials
        self._shares = shares
        self._body_seconds = body_seconds
        self._served: defaultdict[str, set[_Request]] = defaultdict(set)

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        if (refusal := _refusal(scope)) is not None:
            await _refuse(send, *refusal)
            return
        credential = self._credentials.of(scope)
        served = self._served[credential]
        if (problem := self._problem(credential, scope, served)) is not None:
            await _refuse(send, 503, problem, (b"retry-after", b"1"))
            return
        room = partial(self._has_room, served)
        request = _Request(receive, send, self._body_seconds, room, is_stream=_is_stream(scope))
        served.add(request)
        try:
            await self._application(scope, request.receive, request.send)
        finally:
            served.discard(request)

    def _problem(self, credential: str, scope: HttpScope, served: set[_Request]) -> bytes | None:
        """Why there is no place for a request, after an attempt to make one."""
        shares = self._shares
        most = shares.strangers if credential == STRANGER else shares.requests
        if _is_stream(scope) and sum(each.is_stream for each in served) >= shares.streams:
            return b"too many streams with this token\n"
        if len(served) < most:
            return None
        awaited = [each for each in served if each.awaited_since is not None]
        if not awaited:
            return b"too many requests in flight with this token\n"
        slowest = min(awaited, key=lambda each: each.awaited_since or 0.0)
        slowest.give_up()
        served.discard(slowest)
        return None

    def _has_room(self, served: set[_Request], request: _Request) -> bool:
        """True if a body may be as long as it is, for which the longest one that is still arriving may be given up."""
        while request.size > SMALL_BODY and sum(each.size for each in served) > self._shares.body_bytes:
            awaited = [each for each in served if each.awaited_since is not None]
            longest = max(awaited, key=lambda each: each.size, default=request)
            if longest is request:
                return False
            longest.give_up()
            served.discard(longest)
        return True


@dataclass(slots=True, eq=False)
class _Request:
    """One request whose body has so many seconds from when it is first asked for, and as many bytes as `_has_room`."""

    _receive: Receive
    _send: Send
    _seconds: float
    _has_room: Callable[[_Request], bool]
    is_stream: bool
    size: int = 0
    """Bytes of the body so far."""
    awaited_since: float | None = None
    """When the application began to wait for the body; None before, and when the body is there."""
    _is_whole: bool = False
    _status: int | None = None
    """What the client is told where its body was given up."""
    _wait: trio.CancelScope = field(default_factory=trio.CancelScope)

    def give_up(self) -> None:
        """Treat the body as late."""
        self._wait.cancel(reason="another request needs the place")

    async def receive(self) -> Message:
        if self._status is not None:
            return {"type": "http.disconnect"}
        if self._is_whole:
            return await self._receive()
        if self.awaited_since is None:
            self.awaited_since = trio.current_time()
            self._wait.deadline = self.awaited_since + self._seconds
        message = None
        with self._wait:
            message = await self._receive()
        # A place may be asked for after this part arrived and before this task runs again.
        if message is None or self._wait.cancel_called:
            return self._given_up(408)
        self._wait = trio.CancelScope(deadline=self._wait.deadline)
        self.size += len(message.get("body", b""))
        if not self._has_room(self):
            return self._given_up(503)
        self._is_whole = message["type"] != "http.request" or not message.get("more_body", False)
        if self._is_whole:
            self.awaited_since = None
        return message

    def _given_up(self, status: int) -> Message:
        self._is_whole, self._status, self.awaited_since = True, status, None
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Replace the application's status for a body that was cut short by the status of that limit."""
        if self._status is not None and message["type"] == "http.response.start":
            message = {**message, "status": self._status}
        await self._send(message)


def _is_stream(scope: HttpScope) -> bool:
    """True if a request opens a stream of the older era's, which lasts as long as its client likes."""
    return scope["method"] == "GET" and any(
        name == b"accept" and b"text/event-stream" in value for name, value in scope["headers"]
    )


def _refusal(scope: HttpScope) -> tuple[int, bytes] | None:
    for name, value in scope["headers"]:
        if name in _REFUSALS and not _PLAIN.fullmatch(value):
            return _REFUSALS[name]
    return None


async def _refuse(send: Send, status: int, text: bytes, *headers: tuple[bytes, bytes]) -> None:
    length = (b"content-length", str(len(text)).encode())
    start = [(b"content-type", b"text/plain"), length, *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": text})
