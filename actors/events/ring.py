"""The newest events in memory, bounded, with room that floods cannot take.

Events that the contract of `read_logs` names stand in a ring of their own, so that commands, warnings and progress,
however many there are, push none of them out; the rest have a ring of the same size. A full ring drops its oldest
event, in O(1). Telemetry (`TransactionExecuted`) comes for ever and at its own pace, so it may use whatever room
nothing else wants, but goes first as long as it holds more than `TELEMETRY_SHARE` of the ring. Falsifications go last,
as long as they hold at most `FALSIFIED_SHARE`.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice, takewhile

import msgspec

from actors.events.types import (
    CoverageIncreased,
    LoggedEvent,
    PropertyFalsified,
    TransactionExecuted,
    WorkerStarted,
    WorkerStopped,
)

CAPACITY = 2_500
TELEMETRY_SHARE = 0.2
FALSIFIED_SHARE = 0.5
NAMED = (PropertyFalsified, TransactionExecuted, CoverageIncreased, WorkerStarted, WorkerStopped)
"""The events of workers that `read_logs` knows."""

Wanted = Callable[[LoggedEvent], bool]


class EventBatch(msgspec.Struct, frozen=True):
    """Events in order, oldest first. Read on with `cursor`; `missed` events between the reader's cursor and this one
    are no longer held, whatever type they were."""

    events: tuple[LoggedEvent, ...]
    cursor: int
    missed: int


class EventRing:
    """At most `capacity` events that are named, and as many others, ordered by cursor. Cursors are given to `append`
    without gaps, from any start."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._telemetry_share = int(capacity * TELEMETRY_SHARE)
        self._falsified_share = int(capacity * FALSIFIED_SHARE)
        self._telemetry: deque[LoggedEvent] = deque()
        self._falsified: deque[LoggedEvent] = deque()
        self._rest: deque[LoggedEvent] = deque()
        self._unnamed: deque[LoggedEvent] = deque(maxlen=capacity)
        self._last = 0

    def __len__(self) -> int:
        return self.named + len(self._unnamed)

    @property
    def named(self) -> int:
        """Count the events in the ring that `read_logs` knows."""
        return len(self._telemetry) + len(self._falsified) + len(self._rest)

    def append(self, logged: LoggedEvent) -> None:
        """Add an event; O(1)."""
        self._last = logged.cursor
        if logged.worker < 0:
            self._unnamed.append(logged)
            return
        match logged.event:
            case TransactionExecuted():
                self._telemetry.append(logged)
            case PropertyFalsified():
                self._falsified.append(logged)
            case event:
                (self._rest if isinstance(event, NAMED) else self._unnamed).append(logged)
        if self.named > self._capacity:
            self._fullest().popleft()

    def _fullest(self) -> deque[LoggedEvent]:
        """The part that gives up its oldest event."""
        if len(self._telemetry) > self._telemetry_share:
            return self._telemetry
        if len(self._falsified) > self._falsified_share or not self._rest:
            return self._falsified or self._telemetry
        return self._rest

    def newest(self, count: int, wanted: Wanted) -> tuple[LoggedEvent, ...]:
        """Up to `count` of the wanted events, newest first."""
        return tuple(islice(filter(wanted, self._backwards()), count))

    def newest_named(self, count: int, wanted: Wanted) -> tuple[LoggedEvent, ...]:
        """The same of the named events alone."""
        return tuple(islice(filter(wanted, _merged(self._telemetry, self._falsified, self._rest)), count))

    def after(self, cursor: int, limit: int, wanted: Wanted) -> EventBatch:
        """Up to `limit` of the wanted events after `cursor`, oldest first. A cursor beyond the last event belongs to
        another log and counts as 0."""
        if cursor > self._last:
            cursor = 0
        unread = list(takewhile(lambda logged: logged.cursor > cursor, self._backwards()))
        found: list[LoggedEvent] = []
        seen = 0
        end = self._last
        for logged in reversed(unread):
            if len(found) == limit:
                break
            seen += 1
            end = logged.cursor
            if wanted(logged):
                found.append(logged)
        else:
            end = self._last
        return EventBatch(tuple(found), end, max(0, end - cursor - seen))

    def _backwards(self) -> Iterator[LoggedEvent]:
        return _merged(self._telemetry, self._falsified, self._rest, self._unnamed)


def _merged(*parts: deque[LoggedEvent]) -> Iterator[LoggedEvent]:
    """The newest first."""
    return heapq.merge(*map(reversed, parts), key=lambda logged: logged.cursor, reverse=True)
