"""Sessions of the older protocol era: how many a credential may have, and the events that their streams resume from.

A session is kept by the SDK for half an hour after its last request. To make room, the least recently used idle one is
ended as a client would: with DELETE.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mcp.server.streamable_http import LAST_EVENT_ID_HEADER
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, is_version_at_least
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as HttpScope

from tools.serving.credentials import STRANGER, Credentials, header
from tools.serving.resumption import SessionEvents, priming_event, storing_in

MAX_BODY_BYTES = 4 << 20
MAX_SESSIONS = 64
SESSION_HEADER = b"mcp-session-id"
RETRY_MILLISECONDS = 1_000
PRIMED_SINCE = "2025-11-25"
"""The first revision whose clients understand events without data."""
_VERSION_HEADER = MCP_PROTOCOL_VERSION_HEADER.encode()
_LAST_EVENT_HEADER = LAST_EVENT_ID_HEADER.encode()
_KEPT = (b"host", b"authorization")


@dataclass(slots=True)
class _Session:
    credential: str
    events: SessionEvents = field(default_factory=SessionEvents)
    requests: int = 0
    """How many are being served; a session without any is idle."""


class SessionLimits:
    """An application in front of the SDK's, which lets each credential have `most` sessions. Clients whose stream
    breaks come back after `retry` milliseconds."""

    def __init__(
        self,
        application: ASGIApp,
        credentials: Credentials,
        most: int = MAX_SESSIONS,
        retry: int = RETRY_MILLISECONDS,
    ) -> None:
        self._application = application
        self._credentials = credentials
        self._most = most
        self._retry = retry
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        """The most recently used one is last."""
        self._opening: Counter[str] = Counter()

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        name = header(scope, SESSION_HEADER) or ""
        session = self._sessions.get(name)
        if session is not None and session.credential == self._credentials.of(scope):
            primed = self._priming(session.events, send) if _begins_updates(scope) else send
            with self._in_use(name, session), storing_in(session.events):
                await self._application(scope, receive, self._watching(name, scope["method"], primed))
        elif not name and _may_open(scope) and self._credentials.of(scope) != STRANGER:
            await self._begin(scope, receive, send)
        else:
            await self._application(scope, receive, send)

    async def _begin(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        """Read the body first: a request whose body never comes holds no session."""
        if _claims_too_much(scope):
            await _refuse(send, 413, f"the body of a request may have {MAX_BODY_BYTES} bytes\n")
        elif (body := await _body_read(receive)) is None:
            # The SDK would begin a session before it reads the body.
            await _refuse(send, 408, "the body of the request did not arrive\n")
        else:
            await self._open(scope, body, send)

    async def _open(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        credential = self._credentials.of(scope)
        self._opening[credential] += 1
        try:
            if not await self._has_room(credential, scope):
                text = f"this token has {self._most} sessions in use\n"
                await _refuse(send, 503, text, (b"retry-after", b"1"))
                return
            session = _Session(credential)
            with storing_in(session.events):
                await self._application(scope, receive, self._noting(session, send))
        finally:
            self._opening[credential] -= 1

    async def _has_room(self, credential: str, scope: HttpScope) -> bool:
        """True if one more session fits in, after idle ones were ended for it."""
        while True:
            own = [(name, each) for name, each in self._sessions.items() if each.credential == credential]
            if len(own) + self._opening[credential] <= self._most:
                return True
            idle = next((name for name, each in own if not each.requests), None)
            if idle is None:
                return False
            self._forget(idle)
            await self._end(idle, scope)

    async def _end(self, name: str, scope: HttpScope) -> None:
        """As the client of the same credential could."""
        headers = [each for each in scope["headers"] if each[0] in _KEPT] + [(SESSION_HEADER, name.encode("latin-1"))]
        await self._application({**scope, "method": "DELETE", "headers": headers}, _nothing, _dropped)

    @contextmanager
    def _in_use(self, name: str, session: _Session) -> Iterator[None]:
        session.requests += 1
        try:
            yield
        finally:
            session.requests -= 1
            if name in self._sessions:
                self._sessions.move_to_end(name)

    def _noting(self, session: _Session, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                name = next((value for key, value in message["headers"] if key.lower() == SESSION_HEADER), None)
                if name is not None:
                    self._sessions[name.decode("latin-1")] = session
            await send(message)

        return sending

    def _watching(self, name: str, method: str, send: Send) -> Send:
        """Forget the session when the SDK has."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                has_ended = message["status"] == 404 or (method == "DELETE" and message["status"] == 200)
                if has_ended:
                    self._forget(name)
            await send(message)

        return sending

    def _forget(self, name: str) -> None:
        if (session := self._sessions.pop(name, None)) is not None:
            session.events.close()

    def _priming(self, events: SessionEvents, send: Send) -> Send:
        """The SDK primes the streams that answer requests, and not those of updates."""

        async def sending(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start" and message["status"] == 200:
                await send(
                    {"type": "http.response.body", "body": priming_event(events, self._retry), "more_body": True}
                )

        return sending


def _begins_updates(scope: HttpScope) -> bool:
    """True for a new stream of updates, of a client that understands events without data."""
    version = header(scope, _VERSION_HEADER)
    is_new = scope["method"] == "GET" and header(scope, _LAST_EVENT_HEADER) is None
    return is_new and version is not None and is_version_at_least(version, PRIMED_SINCE)


def _may_open(scope: HttpScope) -> bool:
    """True if the SDK begins a session for a request without one."""
    version = header(scope, _VERSION_HEADER)
    return version is None or version in HANDSHAKE_PROTOCOL_VERSIONS


def _claims_too_much(scope: HttpScope) -> bool:
    length = header(scope, b"content-length") or ""
    return length.isascii() and length.isdigit() and int(length) > MAX_BODY_BYTES


async def _body_read(receive: Receive) -> Receive | None:
    """The same body once it has arrived, or what of it the application still takes for a body. None where it ended
    before it was whole."""
    messages: deque[Message] = deque()
    size, is_whole = 0, False
    while not is_whole and size <= MAX_BODY_BYTES:
        message = await receive()
        if message["type"] != "http.request":
            return None
        messages.append(message)
        size += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)

    async def replayed() -> Message:
        return messages.popleft() if messages else await receive()

    return replayed


async def _refuse(send: Send, status: int, text: str, *further: tuple[bytes, bytes]) -> None:
    body = text.encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode()), *further]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _dropped(message: Message) -> None:
    pass
