"""One connection of HTTP/1.1 to an ASGI application: h11 knows the protocol, this gives it a socket and deadlines.

Memory is bounded: the body of a request is read when the application asks for it, an answer is handed on when the
client has taken what came before. A client that stops reading or sending costs its own connection.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import unquote

import h11
import trio
from starlette.types import ASGIApp, Message
from starlette.types import Scope as HttpScope

from tools.serving.complaints import Complaints, is_departure

PIECE = 1 << 16
MAX_HEAD_BYTES = 1 << 14
"""Bytes of a request line with its headers, and of what a client may send ahead of the current answer."""
_GONE = (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError)
_TEXTS = {
    400: "this is no valid HTTP request",
    408: "the request took too long to arrive",
    431: f"the request line and headers have more than {MAX_HEAD_BYTES} bytes",
    500: "the request failed unexpectedly; see the server's log",
    501: "this transfer encoding is not supported",
    505: "only HTTP/1.1 is served",
}
Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that a client has: for the next request line and headers, to take 64 KiB of an answer, and to read the
    last answer before the connection is closed."""

    head: float = 30.0
    write: float = 30.0
    linger: float = 2.0


class HttpConnection:
    """`serve` answers the requests of one client, one after the other. `stream` stays open at the end."""

    def __init__(
        self, stream: trio.SocketStream, application: ASGIApp, timeouts: Timeouts, complaints: Complaints
    ) -> None:
        self._stream = stream
        self._application = application
        self._timeouts = timeouts
        self._complaints = complaints
        self._protocol = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._client = _address(stream.socket.getpeername())
        self._server = _address(stream.socket.getsockname())
        self._life = trio.CancelScope()
        self._is_last = False
        self.waiting_since: float | None = trio.current_time()
        """When the wait for a request began; None while one is served."""

    @property
    def host(self) -> str:
        """The address of the client, without its port."""
        return self._client[0]

    def close(self) -> None:
        """End the connection now."""
        self._life.cancel(reason="the connection is no longer wanted")

    def finish(self) -> None:
        """End the connection after the request that is being served, which is now if there is none."""
        self._is_last = True
        if self.waiting_since is not None:
            self.close()

    async def serve(self) -> None:
        """Raises nothing of what a client does."""
        with self._life, suppress(*_GONE):
            while await self._serve_one() and not self._is_last:
                self._protocol.start_next_cycle()
            self.waiting_since = trio.current_time()
            await self._linger()

    async def _serve_one(self) -> bool:
        """True if another request may follow."""
        self.waiting_since = trio.current_time()
        request = await self._next_request()
        if request is None:
            return False
        self.waiting_since = None
        exchange = _Exchange(self._stream, self._protocol, self._timeouts, request.method)
        try:
            await self._application(self._scope(request), exchange.receive, exchange.send)
        except Exception as error:  # the boundary of one request: a bug costs one answer
            if not is_departure(error):
                self._complaints.tell("a request over HTTP failed unexpectedly", error)
        if not exchange.is_gone:
            await self._refuse(500)
        exchange.drop_rest_of_body()
        return not exchange.is_gone and self._protocol.states == {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE}

    async def _next_request(self) -> h11.Request | None:
        """The next request; None where there is none, which has been answered if it was an attempt at one."""
        try:
            with trio.move_on_after(self._timeouts.head) as scope:
                event = await self._head()
            if scope.cancelled_caught:
                if self._protocol.trailing_data[0]:
                    await self._refuse(408)
                return None
        except h11.RemoteProtocolError as error:
            await self._refuse(error.error_status_hint)
            return None
        except (ValueError, OverflowError):  # numbers that h11 takes for numbers and Python does not
            await self._refuse(400)
            return None
        if event is not None and (status := _objection(event)):
            await self._refuse(status)
            return None
        return event

    async def _head(self) -> h11.Request | None:
        while True:
            event = self._protocol.next_event()
            if isinstance(event, h11.Request):
                return event
            if event is not h11.NEED_DATA:
                return None
            self._protocol.receive_data(await self._stream.receive_some(PIECE))

    async def _refuse(self, status: int) -> None:
        """Answer what has no answer yet, and let that be the last one."""
        if self._protocol.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        text = f"{_TEXTS.get(status, _TEXTS[400])}\n".encode()
        headers = [("content-type", "text/plain"), ("content-length", str(len(text))), ("connection", "close")]
        data = self._protocol.send(h11.Response(status_code=status, headers=headers)) or b""
        with trio.fail_after(self._timeouts.write):
            await self._stream.send_all(data + text)

    async def _linger(self) -> None:
        """Let the client read the last answer: closing while it still sends would throw the answer away."""
        with trio.move_on_after(self._timeouts.linger):
            await self._stream.send_eof()
            while await self._stream.receive_some(PIECE):
                pass

    def _scope(self, request: h11.Request) -> HttpScope:
        path, _, query = request.target.partition(b"?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": request.http_version.decode("ascii"),
            "method": request.method.decode("ascii"),
            "scheme": "http",
            "path": unquote(path.decode("ascii")),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": list(request.headers),
            "client": self._client,
            "server": self._server,
            "state": {},
            "extensions": {},
        }


@dataclass(slots=True)
class _Exchange:
    """One request and its answer, as ASGI's `receive` and `send`."""

    _stream: trio.SocketStream
    _protocol: h11.Connection
    _timeouts: Timeouts
    _method: bytes
    is_gone: bool = False
    """The client has left, or reads too slowly: what is sent from now on is dropped."""
    _has_no_body: bool = False
    _is_malformed: bool = False
    _reading: trio.Lock = field(default_factory=trio.Lock)
    _writing: trio.Lock = field(default_factory=trio.Lock)
    _over: trio.Event = field(default_factory=trio.Event)
    _ahead: h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED] | None = None

    def __post_init__(self) -> None:
        # The end of a request without a body is known at once, so that the connection can be kept.
        self._ahead = self._next_event()

    async def receive(self) -> Message:
        async with self._reading:
            if self._protocol.their_state is h11.SEND_BODY or self._ahead is not None:
                return await self._part_of_body()
            await self._until_gone()
            return {"type": "http.disconnect"}

    async def _part_of_body(self) -> Message:
        while True:
            event, self._ahead = self._ahead or self._next_event(), None
            if isinstance(event, h11.Data):
                return {"type": "http.request", "body": bytes(event.data), "more_body": True}
            if isinstance(event, h11.EndOfMessage):
                return {"type": "http.request", "body": b"", "more_body": False}
            if event is not h11.NEED_DATA or not await self._feed():
                return {"type": "http.disconnect"}

    def _next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        try:
            return self._protocol.next_event()
        except (h11.RemoteProtocolError, ValueError, OverflowError):
            self._is_malformed = True
            return h11.ConnectionClosed()

    async def _feed(self) -> bool:
        """Read more; whether the client is still there."""
        try:
            if self._protocol.they_are_waiting_for_100_continue:
                await self._write(h11.InformationalResponse(status_code=100, headers=[]))
            data = await self._stream.receive_some(PIECE)
            self._protocol.receive_data(data)
        except (*_GONE, RuntimeError):  # h11 says so of data after the end
            return False
        return bool(data)

    async def _until_gone(self) -> None:
        """Until the client leaves or has its answer. What it sends ahead is kept, as far as that is bounded."""
        while not self._over.is_set():
            ahead, is_closed = self._protocol.trailing_data
            if is_closed:
                return
            if len(ahead) >= MAX_HEAD_BYTES:
                await self._over.wait()
            elif not await self._feed():
                return

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._write(self._response(message))
            return
        events: list[h11.Event] = []
        if (body := message.get("body", b"")) and not self._has_no_body:
            events.append(h11.Data(data=bytes(body)))
        if not message.get("more_body", False):
            events.append(h11.EndOfMessage())
        await self._write(*events)

    def _response(self, message: Message) -> h11.Response:
        status = 400 if self._is_malformed else message["status"]
        self._has_no_body = self._method == b"HEAD" or status in (204, 304)
        headers: list[tuple[bytes, bytes]] = [(bytes(name), bytes(value)) for name, value in message["headers"]]
        if self._protocol.their_state is not h11.DONE:
            # An answer before the whole request was read: the rest is not worth reading.
            headers = [each for each in headers if each[0].lower() != b"connection"] + [(b"connection", b"close")]
        return h11.Response(status_code=status, headers=headers)

    async def _write(self, *events: h11.Event) -> None:
        async with self._writing:
            if self.is_gone:
                return
            data = b"".join(self._protocol.send(event) or b"" for event in events)
            # Until all of it is out, what the client has got is not what the protocol believes.
            self.is_gone = True
            try:
                await self._send(data)
                self.is_gone = False
            except _GONE:
                await trio.aclose_forcefully(self._stream)
            finally:
                if self.is_gone or self._protocol.our_state is h11.DONE:
                    self._over.set()

    async def _send(self, data: bytes) -> None:
        view = memoryview(data)
        for start in range(0, len(view), PIECE):
            with trio.fail_after(self._timeouts.write):
                await self._stream.send_all(view[start : start + PIECE])

    def drop_rest_of_body(self) -> None:
        """Pass over what of the body has arrived already, so that the next request can follow."""
        while self._protocol.their_state is h11.SEND_BODY and isinstance(
            self._next_event(), h11.Data | h11.EndOfMessage
        ):
            pass


def _objection(request: h11.Request) -> int | None:
    """The status for a request that is well-formed but means trouble."""
    names = {name for name, _ in request.headers}
    if request.http_version not in (b"1.0", b"1.1"):
        return 505
    # Two lengths are how requests are smuggled past a proxy in front.
    if {b"content-length", b"transfer-encoding"} <= names or any(map(_has_controls, _values(request))):
        return 400
    return None


def _values(request: h11.Request) -> Sequence[bytes]:
    return [value for _, value in request.headers]


def _has_controls(value: bytes) -> bool:
    return any((byte < 0x20 and byte != 0x09) or byte == 0x7F for byte in value)


def _address(name: object) -> Address:
    return (str(name[0]), int(name[1])) if isinstance(name, tuple) else (str(name), 0)
