"""The campaign's clock: its limits of time, and who wakes the campaign when one of them may have passed."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

import trio

from actors.events.types import StopReason


class CampaignClock:
    """Seconds count from `start`, on top of those `before`, and stand still while the campaign is paused or idle.
    `time_limit` ends fuzzing, `coverage_limit` does so many seconds after the last new coverage, and `grace`
    seconds after the time limit shrinking ends as well. None stands for no limit."""

    def __init__(
        self, time_limit: float | None, coverage_limit: float | None, grace: float, before: float = 0.0
    ) -> None:
        self.time_limit = time_limit
        self._before = before
        self.coverage_limit = coverage_limit
        self._grace = grace
        self._started: float | None = None
        self._ended: float | None = None
        self._covered: float | None = None
        self._quiet_since = 0.0
        self._is_fuzzing = True
        self._is_running = True
        self._still: set[str] = set()
        self._still_since: float | None = None
        self._stood_still = 0.0
        self._held = False
        self._released = -math.inf
        self._armed = trio.Event()

    # --- what happens ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        self._started = self._quiet_since = trio.current_time()
        self.rearm()

    def end(self) -> None:
        """Stop the clock."""
        self._ended = self._ended or trio.current_time()

    def cover(self) -> None:
        """Something new was covered."""
        self._covered = self._quiet_since = trio.current_time()

    def stand_still(self, why: str) -> None:
        """No time passes until `go_on` with the same reason; reasons may overlap."""
        self._still.add(why)
        if self._still_since is None:
            self._still_since = trio.current_time()
        self.rearm()

    def go_on(self, why: str) -> None:
        """This reason to stand still is gone."""
        self._still.discard(why)
        if not self._still and self._still_since is not None:
            self._stood_still += self._still_now(trio.current_time())
            self._still_since = None
            self._quiet_since = trio.current_time()
        self.rearm()

    def fuzz_again(self) -> None:
        """Fuzzing continues after `stop_fuzzing`."""
        self._is_fuzzing = True
        self._quiet_since = trio.current_time()
        self.rearm()

    def hold(self) -> None:
        """No limit ends anything until `release`."""
        self._held = True
        self.rearm()

    def release(self) -> None:
        """Limits hold again. What passed counts, but for the coverage limit and the grace of shrinking."""
        self._held = False
        self._released = self._quiet_since = trio.current_time()
        self.rearm()

    def stop_fuzzing(self) -> None:
        """From now on only the grace of shrinking is limited."""
        self._is_fuzzing = False

    def stop(self) -> None:
        """Remove every limit."""
        self._is_fuzzing, self._is_running = False, False

    # --- figures -----------------------------------------------------------------------------------------------------

    @property
    def is_used_up(self) -> bool:
        """The time limit leaves nothing, not even at the start."""
        return self.time_limit is not None and self.seconds >= self.time_limit

    @property
    def seconds(self) -> float:
        if self._started is None:
            return self._before
        now = self._ended or trio.current_time()
        return self._before + now - self._started - self._stood_still - self._still_now(now)

    def _still_now(self, now: float) -> float:
        """Seconds since time stands still, of those since the start."""
        if self._still_since is None or self._started is None:
            return 0.0
        return max(0.0, now - max(self._still_since, self._started))

    @property
    def seconds_since_coverage(self) -> float | None:
        return None if self._covered is None else trio.current_time() - self._covered

    def passed(self) -> StopReason | None:
        """The limit that has passed, while fuzzing; afterwards `TIMEOUT` once the grace is over."""
        now = trio.current_time()
        if now >= self._end_of_time(0.0 if self._is_fuzzing else self._grace):
            return StopReason.TIMEOUT
        if self._is_fuzzing and now >= self._end_of_patience():
            return StopReason.NO_NEW_COVERAGE
        return None

    # --- waking the campaign -----------------------------------------------------------------------------------------

    def rearm(self) -> None:
        """Limits or times have changed, or the last ring was dealt with: wait for what comes next."""
        self._armed.set()

    async def run(self, ring: Callable[[], Awaitable[None]]) -> None:
        """Await `ring` whenever a limit may have passed, once until `rearm`. Runs until cancelled."""
        while True:
            self._armed = trio.Event()
            rearmed = False
            with trio.CancelScope(deadline=self._next()):
                await self._armed.wait()
                rearmed = True
            if not rearmed:
                await ring()
                await self._armed.wait()

    def _next(self) -> float:
        if not self._is_fuzzing:
            return self._end_of_time(self._grace)
        return min(self._end_of_time(0.0), self._end_of_patience())

    def _end_of_time(self, grace: float) -> float:
        if self._started is None or self.time_limit is None or not self._is_running or self._held or self._still:
            return math.inf
        end = self._started + self._stood_still + self.time_limit - self._before
        return max(end, self._started, self._released) + grace

    def _end_of_patience(self) -> float:
        if self._started is None or self.coverage_limit is None or self._still or self._held:
            return math.inf
        return self._quiet_since + self.coverage_limit
