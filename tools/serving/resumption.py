"""Events that streams of a session carried, so that a client takes a stream up again after its connection broke.

The SDK has one store of events for all sessions. Each session has one of its own here, which the context of its
requests names: the SDK stores and replays within tasks that requests of the session began.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

import trio
from mcp.server.streamable_http import (
    GET_STREAM_KEY,
    EventCallback,
    EventId,
    EventMessage,
    EventStore,
    StreamId,
)
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCResponse

MAX_KEPT = 256
MAX_KEPT_BYTES = 1 << 18
MAX_DIGITS: Final = 15
DIGEST_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class _Event:
    number: int
    stream: str
    message: JSONRPCMessage
    size: int


@dataclass(eq=False)
class SessionEvents:
    """The newest events of one session, up to `MAX_KEPT` with `MAX_KEPT_BYTES` together, and the last one whatever its
    size. Ids of events name their stream, so that one whose event is no longer kept still says where to go on."""

    _kept: deque[_Event] = field(default_factory=deque)
    _size: int = 0
    _number: int = 0
    _unanswered: set[str] = field(default_factory=set)
    _is_closed: bool = False
    _changed: trio.Event = field(default_factory=trio.Event)

    def store(self, stream: StreamId, message: JSONRPCMessage | None) -> EventId:
        """Keep what a stream carries, and return the id of the event. None primes the stream: it has nothing to
        replay."""
        self._number += 1
        name = _stream_name(stream)
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._unanswered.discard(name)
        else:
            self._unanswered.add(name)
        if message is not None:
            size = len(message.model_dump_json(by_alias=True, exclude_unset=True))
            self._kept.append(_Event(self._number, name, message, size))
            self._size += size
            while len(self._kept) > 1 and (len(self._kept) > MAX_KEPT or self._size > MAX_KEPT_BYTES):
                self._size -= self._kept.popleft().size
            self._wake()
        return f"{self._number}-{name}"

    async def follow(self, last: EventId, send: EventCallback) -> None:
        """Send what the stream of an event carried after it and carries from now on. Returns after the answer that
        ends the stream, at the end of the session, and at once for an id that was never given."""
        number, name = _parsed(last)
        if not 0 < number <= self._number:
            return
        while True:
            changed = self._changed
            for event in [each for each in self._kept if each.stream == name and each.number > number]:
                await send(EventMessage(event.message, f"{event.number}-{event.stream}"))
                number = event.number
            if changed.is_set():
                continue
            if self._is_closed or name not in self._unanswered:
                return
            await changed.wait()

    def close(self) -> None:
        """The session has ended, and with it whoever follows."""
        self._is_closed = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


def _stream_name(stream: StreamId) -> str:
    """A client chooses the ids of its requests, of any length and from any characters."""
    return hashlib.blake2b(stream.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def _parsed(text: EventId) -> tuple[int, str]:
    number, _, name = text.partition("-")
    is_number = number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS
    return (int(number) if is_number else 0), name


_current: ContextVar[SessionEvents] = ContextVar("events of the session")


@contextmanager
def storing_in(events: SessionEvents) -> Iterator[None]:
    """Within the block, and in tasks that begin there, the SDK stores and replays these events."""
    token = _current.set(events)
    try:
        yield
    finally:
        _current.reset(token)


class CurrentSessionEvents(EventStore):
    """The SDK's port: the events of the session whose request is served."""

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        return _current.get().store(stream_id, message)

    async def replay_events_after(self, last_event_id: EventId, send_callback: EventCallback) -> StreamId | None:
        """Replays, and then follows the stream itself: what is stored between the SDK's replay and its going on live
        would not arrive."""
        await _current.get().follow(last_event_id, send_callback)
        return None


def priming_event(events: SessionEvents, retry: int) -> bytes:
    """The first event of a stream of updates, in the form of server-sent events: an id to go on from and no data."""
    return f"id: {events.store(GET_STREAM_KEY, None)}\r\nretry: {retry}\r\ndata: \r\n\r\n".encode()
