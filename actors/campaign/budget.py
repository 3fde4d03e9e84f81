"""The shared budget of a campaign. Workers take small pieces of it, so none idles while any is left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import msgspec
import trio

PIECE_SECONDS = 0.3
FIRST_PIECE = 2_000
MAX_PIECE = 50_000_000
MAX_HELD = 2


class BudgetState(msgspec.Struct, frozen=True):
    """State kept by a checkpoint. `limit` None means that only time ends the campaign."""

    limit: int | None
    used: int


class Budget:
    """Calls: every one of `limit` is either used, reserved by a worker, or free.

    A piece never exceeds what is free, so the worker that gets the last piece stops at the first sequence boundary at
    or after the limit, wherever the earlier boundaries were. Sequences are run whole: `used` may pass the limit by
    less than one sequence for each worker. A worker holds two pieces at most: the one that it works on, and the next.
    """

    def __init__(self, limit: int | None, used: int = 0) -> None:
        self.limit = limit
        self.used = used
        self.reserved = 0
        self._pieces: dict[int, deque[int]] = {}

    @property
    def free(self) -> int | None:
        """Calls that are not taken yet, None without a limit."""
        return None if self.limit is None else max(0, self.limit - self.used - self.reserved)

    @property
    def exhausted(self) -> bool:
        """All calls have been made; a reserved piece may come back, so it does not count as made."""
        return self.limit is not None and self.used >= self.limit

    def take(self, worker: int, wanted: int, workers: int) -> int:
        """Reserve a piece of about `wanted` calls, at most a fair share of what is free; 0 when nothing is."""
        pieces = self._pieces.setdefault(worker, deque())
        assert len(pieces) < MAX_HELD, "a worker holds the piece that it works on, and the next"
        free = self.free
        piece = wanted if free is None else min(wanted, max(-(-free // max(1, workers)), min(free, 1)), free)
        if piece > 0:
            pieces.append(piece)
            self.reserved += piece
        return piece

    def change_limit(self, limit: int | None) -> None:
        """Another limit from now on. Pieces that were taken are kept, also where they pass it."""
        self.limit = limit

    def settle(self, worker: int, calls: int) -> None:
        """The worker's older piece has ended after `calls` calls, more or fewer than reserved; the rest is free
        again."""
        if pieces := self._pieces.get(worker):
            self.reserved -= pieces.popleft()
        self.used += calls

    def lose(self, worker: int, calls: int) -> None:
        """The worker is gone after `calls` calls of its older piece; the rest of all its pieces is free again."""
        self.reserved -= sum(self._pieces.pop(worker, ()))
        self.used += calls

    def state(self) -> BudgetState:
        return BudgetState(self.limit, self.used)


class PieceSize:
    """The number of calls that keeps one worker busy for about `PIECE_SECONDS`, learnt from its speed.

    Where a piece ends has no influence on what a worker does next, so the size may follow the clock."""

    def __init__(self) -> None:
        self.calls = FIRST_PIECE

    def learn(self, calls: int, seconds: float) -> None:
        """A piece of `calls` took `seconds`. Grows fourfold at most, as a first piece may be unlike others."""
        if calls <= 0 or seconds <= 0:
            return
        fitting = int(calls / seconds * PIECE_SECONDS)
        self.calls = max(FIRST_PIECE // 20, min(fitting, self.calls * 4, MAX_PIECE))


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
