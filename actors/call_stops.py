"""Numbers of calls at which a campaign holds still until it is told to go on, for what is to be done exactly there."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import trio


class CallStops:
    """At each of these numbers of calls no more fuzzing is given out, from the first end of a sequence at or after it
    on. A stop that lies behind already holds at once."""

    def __init__(self, calls: Iterable[int] = ()) -> None:
        self._ahead = deque(sorted(set(calls)))
        self._reached = trio.Event()

    def left(self, used: int, reserved: int) -> int | None:
        """How many calls may be given out: those up to the next stop that nobody has reserved. None when no stop is
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

    def go_on(self) -> None:
        """Leave the stop that was reached."""
        self._ahead.popleft()
        self._reached = trio.Event()
