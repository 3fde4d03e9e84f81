"""The event log: a ring of the newest events for readers, and every event appended to `events.jsonl`.

Appending is synchronous and O(1), so the order of `append` calls is the order of the log, for each worker and
overall. The ring drops its oldest event when full. Telemetry (`TransactionExecuted`) is coalesced to at most one event
a worker and `TELEMETRY_INTERVAL`, so that it can never push out what was found. Lines reach the file within
`FLUSH_INTERVAL`; a file that cannot be written costs the file, not the campaign.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from io import FileIO
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import trio

from actors.messages import AnyEvent, LoggedEvent, TransactionExecuted, Warned

CAPACITY = 2_500
FLUSH_INTERVAL = 0.5
TELEMETRY_INTERVAL = 5.0
PENDING_LIMIT = 50_000


class EventLogStatistics(msgspec.Struct, frozen=True):
    """`held` events in the ring, `appended` ever, `evicted` from the ring, `written` to the file, `lost` to the file
    because it could not be written fast enough or at all."""

    held: int
    appended: int
    evicted: int
    written: int
    lost: int


class EventLog:
    """`wall_clock` gives Unix seconds. `path` None keeps events in memory only."""

    def __init__(self, path: Path | None = None, *, wall_clock: Callable[[], float], capacity: int = CAPACITY) -> None:
        self._ring: deque[LoggedEvent] = deque(maxlen=capacity)
        self._path = path
        self._wall_clock = wall_clock
        self._appended = 0
        self._last_time = 0.0
        self._telemetry: dict[int, tuple[float, int, int]] = {}
        self._pending: deque[LoggedEvent] = deque()
        self._written = 0
        self._lost = 0

    def append(self, worker: int, event: AnyEvent) -> LoggedEvent:
        """Add an event. Times never go back, even when the machine's clock does."""
        self._appended += 1
        self._last_time = max(self._last_time, self._wall_clock())
        logged = LoggedEvent(self._appended, self._last_time, worker, event)
        self._ring.append(logged)
        if self._path is not None:
            self._pending.append(logged)
            if len(self._pending) > PENDING_LIMIT:
                self._pending.popleft()
                self._lost += 1
        return logged

    def count_transactions(self, worker: int, calls: int, reverted: int) -> None:
        """Telemetry of one heartbeat; becomes an event once `TELEMETRY_INTERVAL` has passed since the last."""
        since, sum_calls, sum_reverted = self._telemetry.get(worker, (trio.current_time(), 0, 0))
        sum_calls, sum_reverted = sum_calls + calls, sum_reverted + reverted
        if trio.current_time() - since >= TELEMETRY_INTERVAL and sum_calls:
            self.append(worker, TransactionExecuted(sum_calls, sum_reverted))
            since, sum_calls, sum_reverted = trio.current_time(), 0, 0
        self._telemetry[worker] = (since, sum_calls, sum_reverted)

    def since(self, cursor: int, limit: int = CAPACITY) -> tuple[LoggedEvent, ...]:
        """Up to `limit` events after `cursor` (0: from the start of the ring), oldest first. Pass the last one's
        cursor to go on; a gap between cursors means that the ring has dropped events in between."""
        if not self._ring:
            return ()
        skip = max(0, cursor - self._ring[0].cursor + 1)
        return tuple(islice(self._ring, skip, skip + limit))

    def newest(self, count: int) -> tuple[LoggedEvent, ...]:
        """Up to `count` events, newest first."""
        return tuple(islice(reversed(self._ring), count))

    def statistics(self) -> EventLogStatistics:
        return EventLogStatistics(
            len(self._ring), self._appended, self._appended - len(self._ring), self._written, self._lost
        )

    async def run(self) -> None:
        """Write events to the file until cancelled; what is pending then is still written. Without a file, wait."""
        if self._path is None:
            await trio.sleep_forever()
            return
        try:
            file = self._open(self._path)
        except OSError as error:
            self._give_up(error)
            return
        with file:
            await self._write_until_cancelled(file)

    async def _write_until_cancelled(self, file: FileIO) -> None:
        try:
            while await self._flush(file):  # noqa: ASYNC110  # a period, not a wait for a condition
                await trio.sleep(FLUSH_INTERVAL)
        finally:
            with trio.CancelScope(shield=True):
                await self._flush(file)

    async def _flush(self, file: FileIO) -> bool:
        """Write what is pending in a thread, so that a slow disk never stops the loop. False when the file is lost."""
        batch = tuple(self._pending)
        if self._path is None or not batch:
            return self._path is not None
        self._pending.clear()
        try:
            await trio.to_thread.run_sync(_write_lines, file, batch)
        except OSError as error:
            self._lost += len(batch)
            self._give_up(error)
            return False
        self._written += len(batch)
        return True

    def _give_up(self, error: OSError) -> None:
        path, self._path = self._path, None
        self._lost += len(self._pending)
        self._pending.clear()
        self.append(-1, Warned(f"{path}: events are kept in memory only: {error.strerror or error}"))

    @staticmethod
    def _open(path: Path) -> FileIO:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        return open(descriptor, "wb", buffering=0)  # a buffer would fail a second time when it is closed


def event_line(logged: LoggedEvent) -> bytes:
    """An event as one line of JSON; bytes are 0x-hex."""
    return msgspec.json.encode(_readable(msgspec.to_builtins(logged, builtin_types=(bytes,)))) + b"\n"


def _readable(value: Any) -> Any:
    match value:
        case bytes():
            return f"0x{value.hex()}"
        case dict():
            return {key: _readable(member) for key, member in value.items()}
        case list() | tuple():
            return [_readable(member) for member in value]
        case _:
            return value


def _write_lines(file: FileIO, batch: tuple[LoggedEvent, ...]) -> None:
    data = memoryview(b"".join(map(event_line, batch)))
    while data:
        data = data[file.write(data) :]
