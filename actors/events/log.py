"""The event log: the newest events in memory for readers, and every event appended to `events.jsonl`.

Appending is synchronous and O(1), so the order of `append` calls is the order of the log, for each worker and overall.
Readers ask for the newest events, or poll with a cursor and learn what they missed, or wait for the next event.
Telemetry (`TransactionExecuted`) is coalesced to one event a worker and `TELEMETRY_INTERVAL` and has a share of the
ring (`actors.events.ring`), as other floods have, so that nothing can push out what was found.

Lines reach the file within `FLUSH_INTERVAL`. When the file cannot be written, one event says so, events continue in
memory, the newest `PENDING_LIMIT` lines wait, and another attempt is made every `RETRY_INTERVAL`; one event says when
it works again. A campaign never ends because of its log.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec
import trio

from actors.events.file import EventFile, last_line
from actors.events.ring import CAPACITY, EventBatch, EventRing, Wanted
from actors.events.types import CAMPAIGN, AnyEvent, EventFileFailed, EventFileRestored, LoggedEvent, TransactionExecuted

FLUSH_INTERVAL = 0.5
RETRY_INTERVAL = 10.0
TELEMETRY_INTERVAL = 5.0
PENDING_LIMIT = 50_000
MAX_WAITING = 1_000
"""Pollers that may wait for the next event at the same time."""


class EventLogStatistics(msgspec.Struct, frozen=True):
    """`held` events in memory, `named` ones among them (`actors.events.ring`), `appended` by this campaign, `evicted`
    from the ring; `written` to the file, `lost` to it because it could not be written fast enough or at all,
    `pending`. `cursor` is that of the last event; `waiting` pollers."""

    held: int
    appended: int
    evicted: int
    written: int
    lost: int
    pending: int = 0
    cursor: int = 0
    waiting: int = 0
    named: int = 0


class EventLog:
    """`wall_clock` gives Unix seconds. `path` None keeps events in memory only. Where the file holds events of an
    earlier campaign, cursors and times continue from its last one, so that a poller's cursor survives a restart."""

    def __init__(
        self,
        path: Path | None = None,
        *,
        wall_clock: Callable[[], float],
        capacity: int = CAPACITY,
        file: EventFile | None = None,
    ) -> None:
        self._ring = EventRing(capacity)
        self._file = file if file is not None or path is None else EventFile(path)
        self._wall_clock = wall_clock
        before = last_line(self._file.path) if self._file is not None else None
        self._first = self._cursor = before.cursor if before is not None else 0
        self._last_time = before.time if before is not None else 0.0
        self._telemetry: dict[int, tuple[float, int, int]] = {}
        self._pending: deque[LoggedEvent] = deque()
        self._written = 0
        self._lost = 0
        self._failing = False
        self._arrivals = trio.lowlevel.ParkingLot()

    # --- writing -----------------------------------------------------------------------------------------------------

    def append(self, worker: int, event: AnyEvent) -> LoggedEvent:
        """Add an event. Times never go back, even when the machine's clock does."""
        self._cursor += 1
        self._last_time = max(self._last_time, self._wall_clock())
        logged = LoggedEvent(self._cursor, self._last_time, worker, event)
        self._ring.append(logged)
        if self._file is not None:
            self._pending.append(logged)
            if len(self._pending) > PENDING_LIMIT:
                self._pending.popleft()
                self._lost += 1
        if self._arrivals:
            self._arrivals.unpark_all()
        return logged

    def count_transactions(self, worker: int, calls: int, reverted: int) -> None:
        """Telemetry of one heartbeat; becomes an event once `TELEMETRY_INTERVAL` has passed since the last."""
        since, sum_calls, sum_reverted = self._telemetry.get(worker, (trio.current_time(), 0, 0))
        sum_calls, sum_reverted = sum_calls + calls, sum_reverted + reverted
        if trio.current_time() - since >= TELEMETRY_INTERVAL and sum_calls:
            self.append(worker, TransactionExecuted(sum_calls, sum_reverted))
            since, sum_calls, sum_reverted = trio.current_time(), 0, 0
        self._telemetry[worker] = (since, sum_calls, sum_reverted)

    # --- reading -----------------------------------------------------------------------------------------------------

    def newest(
        self, count: int, *, event_type: str | None = None, worker: int | None = None
    ) -> tuple[LoggedEvent, ...]:
        """Up to `count` events, newest first, of this type (an event's tag) and this worker where one is given. The
        filters apply to what the ring holds."""
        return self._ring.newest(count, _filter(event_type, worker))

    def newest_named(
        self, count: int, *, event_type: str | None = None, worker: int | None = None
    ) -> tuple[LoggedEvent, ...]:
        """As `newest`, of the events of workers that `actors.events.ring.NAMED` lists."""
        return self._ring.newest_named(count, _filter(event_type, worker))

    def since(self, cursor: int, limit: int = CAPACITY) -> tuple[LoggedEvent, ...]:
        """The events of `read`, for those who do not ask what they missed."""
        return self.read(cursor, limit).events

    def read(
        self, cursor: int, limit: int = CAPACITY, *, event_type: str | None = None, worker: int | None = None
    ) -> EventBatch:
        """Up to `limit` events after `cursor` (0: from the oldest one held), oldest first, and how many between the
        two cursors are gone. `limit` is at least 1."""
        return self._ring.after(cursor, max(1, limit), _filter(event_type, worker))

    async def wait(
        self,
        cursor: int,
        seconds: float = math.inf,
        limit: int = CAPACITY,
        *,
        event_type: str | None = None,
        worker: int | None = None,
    ) -> EventBatch:
        """As `read`, but wait up to `seconds` for the first event that fits. The batch is empty when none came, or when
        `MAX_WAITING` pollers wait already; its cursor still is the one to continue with."""
        batch = self.read(cursor, limit, event_type=event_type, worker=worker)
        missed = batch.missed
        with trio.move_on_after(seconds):
            while not batch.events and len(self._arrivals) < MAX_WAITING:
                await self._arrivals.park()
                batch = self.read(batch.cursor, limit, event_type=event_type, worker=worker)
                missed += batch.missed
        return msgspec.structs.replace(batch, missed=missed)

    def statistics(self) -> EventLogStatistics:
        appended = self._cursor - self._first
        return EventLogStatistics(
            held=len(self._ring),
            appended=appended,
            evicted=appended - len(self._ring),
            written=self._written,
            lost=self._lost,
            pending=len(self._pending),
            cursor=self._cursor,
            waiting=len(self._arrivals),
            named=self._ring.named,
        )

    # --- the actor ---------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Write events to the file until cancelled; what is pending then is still written. Without a file, wait."""
        if self._file is None:
            await trio.sleep_forever()
            return
        try:
            while True:
                await self._flush(self._file)
                await trio.sleep(RETRY_INTERVAL if self._failing else FLUSH_INTERVAL)
        finally:
            with trio.CancelScope(shield=True):
                await self._flush(self._file)
                # Once more for what the first may have brought: that the file can be written again.
                await self._flush(self._file)
            self._file.close()

    async def _flush(self, file: EventFile) -> None:
        """Write what is pending in a thread, so that a slow disk never stops the loop. Shielded, because a batch that
        was taken out of `_pending` has no other place than the file."""
        batch = tuple(self._pending)
        if not batch:
            return
        self._pending.clear()
        try:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(file.write, batch)
        except OSError as error:
            self._put_back(batch)
            self._report_failure(file, error)
        else:
            self._written += len(batch)
            if self._failing:
                self._failing = False
                self.append(CAMPAIGN, EventFileRestored(str(file.path), self._lost))

    def _put_back(self, batch: tuple[LoggedEvent, ...]) -> None:
        room = PENDING_LIMIT - len(self._pending)
        self._lost += max(0, len(batch) - room)
        self._pending.extendleft(reversed(batch[max(0, len(batch) - room) :]))

    def _report_failure(self, file: EventFile, error: OSError) -> None:
        if not self._failing:
            self._failing = True
            self.append(CAMPAIGN, EventFileFailed(str(file.path), error.strerror or str(error)))


def _filter(event_type: str | None, worker: int | None) -> Wanted:
    def wanted(logged: LoggedEvent) -> bool:
        return (event_type is None or type(logged.event).__name__ == event_type) and worker in (None, logged.worker)

    return wanted
