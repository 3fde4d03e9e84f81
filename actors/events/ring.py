"""The newest events in memory, bounded, with room that telemetry cannot take.

A full ring drops its oldest event, in O(1). Telemetry (`TransactionExecuted`) comes for ever and at its own pace, so
it has a share: it may use whatever room nothing else wants, but when there is no room, its oldest event goes first as
long as it holds more than `TELEMETRY_SHARE` of the ring. So the newest 80 % of a ring's capacity in other events, and
every falsification among them, stay whatever telemetry does.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice, takewhile

import msgspec

from actors.events.types import LoggedEvent, TransactionExecuted

CAPACITY = 2_500
TELEMETRY_SHARE = 0.2

Wanted = Callable[[LoggedEvent], bool]


class EventBatch(msgspec.Struct, frozen=True):
    """Events in order, oldest first. Read on with `cursor`; `missed` events between the reader's cursor and this one
    are no longer held, whatever type they were."""

    events: tuple[LoggedEvent, ...]
    cursor: int
    missed: int


class EventRing:
    """At most `capacity` events, ordered by cursor. Cursors are given to `append` without gaps, from any start."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._share = int(capacity * TELEMETRY_SHARE)
        self._telemetry: deque[LoggedEvent] = deque()
        self._others: deque[LoggedEvent] = deque()
        self._last = 0

    def __len__(self) -> int:
        return len(self._telemetry) + len(self._others)

    def append(self, logged: LoggedEvent) -> None:
        """Add an event; O(1)."""
        self._last = logged.cursor
        (self._telemetry if isinstance(logged.event, TransactionExecuted) else self._others).append(logged)
        if len(self) > self._capacity:
            over_share = len(self._telemetry) > self._share or not self._others
            (self._telemetry if over_share else self._others).popleft()

    def newest(self, count: int, wanted: Wanted) -> tuple[LoggedEvent, ...]:
        """Up to `count` of the wanted events, newest first."""
        return tuple(islice(filter(wanted, self._backwards()), count))

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
        return heapq.merge(
            reversed(self._telemetry), reversed(self._others), key=lambda logged: logged.cursor, reverse=True
        )
