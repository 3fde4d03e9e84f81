"""Numbers of calls at which a campaign halts until it is told to continue, for actions at exact positions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import trio


class CallStops:
    """At each of these numbers of calls no further fuzzing is assigned, from the first end of a sequence at or after it
    on. A stop that lies behind already holds at once."""

    def __init__(self, calls: Iterable[int] = ()) -> None:
        self._ahead = deque(sorted(set(calls)))
        self._reached = trio.Event()

    def left(self, used: int, reserved: int) -> int | None:
        """Number of calls that may be assigned: those up to the next stop that are not reserved. None when no stop is
        ahead."""
        if not self._ahead:
            return None
        if used >= self._ahead[0]:
            self._reached.set()
            return 0
        return max(0, self._ahead[0] - used - reserved)

    async def reached(self) -> int:
        """Wait until the campaign holds still; returns the stop."""
        await self._reached.wait()
        return self._ahead[0]

    def proceed(self) -> None:
        """Leave the stop that was reached."""
        self._ahead.popleft()
        self._reached = trio.Event()
