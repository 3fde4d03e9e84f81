"""Reading one worker process: frames with deadlines, how it ended, and what its counters say."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from actors.runtime.errors import WorkerLost, WorkerStuck
from actors.workers.process import WorkerProcess
from simulator.worker.framing import FrameDecoder
from simulator.worker.reports import FromWorker, Heartbeat

Expected = TypeVar("Expected")
EXIT_PATIENCE = 1.0
RATE_WINDOW = 2.0
RATE_ENDS = 10.0
_TAIL_LINES = 3


class FrameReader:
    """The frames of one process. Raises `FrameError` for what is not the protocol."""

    def __init__(self, index: int, process: WorkerProcess) -> None:
        self._index = index
        self._process = process
        self._decoder: FrameDecoder[FromWorker] = FrameDecoder(FromWorker)  # type: ignore[arg-type]  # a union
        self._pending: deque[FromWorker] = deque()

    async def next_chunk(self) -> list[FromWorker]:
        """All whole frames that are there, at least one; an empty list at the end of the output."""
        while not self._pending:
            data = await self._process.receive()
            if not data:
                return []
            self._pending.extend(self._decoder.feed(data))
        chunk = list(self._pending)
        self._pending.clear()
        return chunk

    async def expect(
        self,
        kind: type[Expected],
        seconds: float,
        otherwise: Callable[[FromWorker], Awaitable[None]] | None = None,
    ) -> Expected:
        """The next frame of this kind; frames before it go to `otherwise`, frames after it stay for `next_chunk`.

        Raises `WorkerStuck` after `seconds`, `WorkerLost` when the process ends first or sends something else first.
        """
        with trio.move_on_after(seconds):
            while True:
                frame = await self._next()
                if isinstance(frame, kind):
                    return frame
                if otherwise is None:
                    raise WorkerLost(f"worker {self._index} sent {type(frame).__name__} instead of {kind.__name__}")
                await otherwise(frame)
        raise WorkerStuck(f"worker {self._index} did not send {kind.__name__} within {seconds:g} s")

    async def _next(self) -> FromWorker:
        if not self._pending:
            chunk = await self.next_chunk()
            if not chunk:
                raise await self.lost()
            self._pending.extend(chunk)
        return self._pending.popleft()

    async def lost(self) -> WorkerLost:
        """The error for a process whose output has ended: how it exited and the last it wrote to stderr."""
        ending = "closed its output but continues running"
        with trio.move_on_after(EXIT_PATIENCE):
            ending = describe_exit(await self._process.wait())
        tail = "\n".join(self._process.stderr_tail().splitlines()[-_TAIL_LINES:])
        return WorkerLost(f"worker {self._index} {ending}" + (f": {tail}" if tail else ""))


def describe_exit(code: int) -> str:
    """An exit code of `WorkerProcess.wait` in words."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


class Meter:
    """Counters of a slot over all its processes, from heartbeats, whose figures are totals of one process.

    `calls` are all of them, `work_calls` those of the current work; `gas` is what all of them used.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.gas = 0
        self.work_calls = 0
        self._unsettled: deque[int] = deque()
        self._working = False
        self._work_began = 0.0
        self._last = Heartbeat(0, 0, 0, 0)
        self._beats: deque[tuple[float, int]] = deque()

    def rate(self, now: float) -> float:
        """Calls a second between the oldest and the newest beat of about `RATE_WINDOW` seconds. Without beats it falls,
        and is 0 after `RATE_ENDS` seconds."""
        if len(self._beats) < 2 or now - self._beats[-1][0] > RATE_ENDS:
            return 0.0
        (start, first), (end, last) = self._beats[0], self._beats[-1]
        end = now if now - end > RATE_WINDOW else end
        return (last - first) / (end - start) if end > start else 0.0

    def age(self, now: float) -> float:
        """Seconds since the last report on the current work; 0 without work."""
        if not self._working:
            return 0.0
        return now - max(self._work_began, self._beats[-1][0] if self._beats else self._work_began)

    def beat(self, beat: Heartbeat, now: float) -> tuple[int, int]:
        """Take a heartbeat; returns the calls and reverts since the one before."""
        calls, reverted = max(0, beat.calls - self._last.calls), max(0, beat.reverted - self._last.reverted)
        self.gas += max(0, beat.gas - self._last.gas)
        self._last = beat
        self.calls += calls
        self.work_calls += calls
        self._beats.append((now, self.calls))
        while now - self._beats[0][0] > RATE_WINDOW:
            self._beats.popleft()
        return calls, reverted

    @property
    def unreported(self) -> int:
        """Calls of work that has not ended: they are lost once the process is dead."""
        return self.work_calls if self._working else 0

    @property
    def unsettled(self) -> int:
        """Calls of the current work, and of earlier work that is not settled."""
        return sum(self._unsettled) + self.work_calls

    def start_work(self, now: float) -> None:
        self._unsettled.clear()
        self.work_calls = 0
        self._work_began = now
        self._working = True

    def start_next(self, now: float) -> None:
        """Work has ended, and is still to be settled; the next has begun."""
        self._unsettled.append(self.work_calls)
        self.work_calls = 0
        self._work_began = now
        self._working = True

    def settle(self) -> None:
        """The calls of the oldest work count elsewhere."""
        if self._unsettled:
            self._unsettled.popleft()

    def end_work(self) -> None:
        """`work_calls` stay until the next work starts."""
        self._working = False

    def end_process(self) -> None:
        self.work_calls, self._working = 0, False
        self._unsettled.clear()
        self._last = Heartbeat(0, 0, 0, 0)
        self._beats.clear()
