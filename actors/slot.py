"""The campaign's books on one worker: which process is ready, what it has in hand, what it must replay first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import msgspec
import trio

from actors.budget import Budget, PieceSize
from actors.campaign_status import WorkerStatus
from actors.fuzz_worker import FuzzWorker
from actors.worker_services import sequence_groups
from simulator.transaction import Sequence
from simulator.worker.protocol import Fuzz, Replay, Shrink

Work = Fuzz | Replay | Shrink


class Slot:
    """Worker `index` of `count`. `incarnation` is that of the ready process, None while there is none."""

    def __init__(self, worker: FuzzWorker, index: int, count: int) -> None:
        self.worker = worker
        self.index = index
        self.count = count
        self.incarnation: int | None = None
        self.work: Work | None = None
        self.piece = PieceSize()
        self.ended = False
        self._restarts = 0
        self._replays: deque[Replay] = deque()
        self._began = 0.0

    @property
    def idle(self) -> bool:
        return self.incarnation is not None and self.work is None and not self.ended

    @property
    def fuzz_calls(self) -> int:
        """Calls of the piece in hand, as far as heartbeats told."""
        return self.worker.calls_of_work if isinstance(self.work, Fuzz) else 0

    def become_ready(self, incarnation: int, corpus: tuple[Sequence, ...]) -> None:
        """A process is ready. It replays the whole corpus, and so has its coverage before it fuzzes; each worker begins
        at another place, so that together they meet failing entries sooner."""
        self.incarnation = incarnation
        start = len(corpus) * self.index // self.count
        groups = sequence_groups(corpus[start:] + corpus[:start])
        self._replays = deque(Replay(group) for group in groups)
        self.worker.skip_news()

    def next_replay(self, is_measured: Callable[[Sequence], bool]) -> Replay | None:
        """The next group; the worker is to measure it unless others have measured all of it."""
        if not self._replays:
            return None
        replay = self._replays.popleft()
        return msgspec.structs.replace(replay, measure=not all(map(is_measured, replay.sequences)))

    def forget_replays(self) -> None:
        self._replays.clear()

    def assign(self, work: Work) -> None:
        assert self.incarnation is not None, "only ready workers get work"
        self.work = work
        self._began = trio.current_time()
        self.worker.assign(work, self.incarnation)

    def interrupt(self) -> None:
        """Let the work in hand end after the native batch. Its `Done` follows all the same."""
        if self.work is not None:
            self.worker.interrupt()

    def end_work(self, calls: int, budget: Budget) -> int | None:
        """The work in hand is done; returns the test, where it was a shrink."""
        work, self.work = self.work, None
        if isinstance(work, Fuzz):
            budget.settle(self.index, calls)
            self.piece.learn(calls, trio.current_time() - self._began)
        return work.test if isinstance(work, Shrink) else None

    def lose_process(self, calls: int, budget: Budget) -> int | None:
        """The process is gone after `calls` of its work; the rest of its piece is free again. Returns the test that it
        was shrinking."""
        work, self.work = self.work, None
        self.incarnation = None
        self._restarts += 1
        self._replays.clear()
        if isinstance(work, Fuzz):
            budget.settle(self.index, calls)
        return work.test if isinstance(work, Shrink) else None

    def status(self) -> WorkerStatus:
        work = type(self.work).__name__.lower() if self.work is not None else ""
        shrinking = self.work.test if isinstance(self.work, Shrink) else None
        return WorkerStatus(self.worker.statistics(), work, self._restarts, self.ended, shrinking)
