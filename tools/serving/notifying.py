"""Notifications to many connections at a time. A client that does not read delays others only briefly."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from weakref import WeakKeyDictionary

import trio
from mcp.server.connection import Connection

NOTIFY_SECONDS = 1.0
SKIP_SECONDS = 10.0
Notify = Callable[[Connection], Awaitable[None]]


class Notifier:
    """Notifies connections concurrently. One that takes longer than a second is left out for ten."""

    def __init__(self) -> None:
        self._skipped_until: WeakKeyDictionary[Connection, float] = WeakKeyDictionary()

    async def tell(self, connections: Iterable[Connection], notify: Notify) -> None:
        """Notify each of them, which raises nothing."""
        async with trio.open_nursery() as nursery:
            for connection in connections:
                if self._skipped_until.get(connection, 0.0) <= trio.current_time():
                    nursery.start_soon(self._tell, connection, notify)

    async def _tell(self, connection: Connection, notify: Notify) -> None:
        with trio.move_on_after(NOTIFY_SECONDS) as scope:
            await notify(connection)
        if scope.cancelled_caught:
            self._skipped_until[connection] = trio.current_time() + SKIP_SECONDS
