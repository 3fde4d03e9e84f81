"""The campaign's books on one worker: its ready process, its current work, and the entries to replay first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import trio

from actors.campaign.budget import Budget, PieceSize
from actors.campaign.status import WorkerStatus
from actors.workers.quarantine import Quarantine
from actors.workers.worker import FuzzWorker
from simulator.transaction import Sequence
from simulator.worker.commands import Fuzz, Replay, Shrink

Work = Fuzz | Replay | Shrink


class Slot:
    """Worker `index`. `incarnation` is that of the ready process, None while there is none; `ahead` is the piece that
    it is to fuzz after its `work`; `fuzzed` are the calls that it has made for pieces that are done; `leaving` once the
    worker is to leave for good; `is_outdated` when its process is to be replaced once it is idle; `owed` are calls that
    it is to fuzz before it shrinks again."""

    def __init__(self, worker: FuzzWorker, index: int) -> None:
        self.worker = worker
        self.index = index
        self.incarnation: int | None = None
        self.work: Work | None = None
        self.ahead: Fuzz | None = None
        self.piece = PieceSize()
        self.ended = False
        self.leaving = False
        self.fuzzed = 0
        self.is_outdated = False
        self.owed = 0
        self._last_piece = 0
        self._restarts = 0
        self._replays: deque[Replay] = deque()
        self._began = 0.0
        self._finishes_pieces = True

    @property
    def idle(self) -> bool:
        return self.live and self.work is None

    @property
    def takes_ahead(self) -> bool:
        """It fuzzes, and nothing is known that comes before another piece. One that ended a piece early drops what was
        given ahead, and is to be idle before it gets more."""
        return (
            self.ahead is None
            and isinstance(self.work, Fuzz)
            and self.live
            and self._finishes_pieces
            and not self._replays
            and not self.is_outdated
            and not self.worker.is_interrupted
        )

    @property
    def planned(self) -> int:
        """As `fuzzed`, once the current piece is done."""
        return self.fuzzed + (self.work.calls if isinstance(self.work, Fuzz) else 0)

    @property
    def live(self) -> bool:
        """A process is ready and takes commands."""
        return self.incarnation is not None and not self.ended and not self.leaving

    @property
    def has_replayed(self) -> bool:
        """Nothing is left that it must replay first."""
        return not self._replays and not isinstance(self.work, Replay)

    @property
    def fuzz_calls(self) -> int:
        """Calls of the pieces that are not settled, as of the last heartbeat."""
        return self.worker.calls_of_work if isinstance(self.work, Fuzz) else 0

    def become_ready(
        self, incarnation: int, corpus: tuple[tuple[Sequence, ...], ...], workers: int, quarantine: Quarantine
    ) -> None:
        """A process is ready. It replays the parts of the corpus one after the other, and so has its coverage before it
        fuzzes; in each part every one of `workers` begins at another place, so that together they meet every entry, and
        measure it, sooner."""
        self.incarnation = incarnation
        self.is_outdated = False
        self.fuzzed = 0
        self._replays = deque()
        for part in corpus:
            start = len(part) * (self.index % workers) // workers
            self._replays.extend(map(Replay, quarantine.groups(part[start:] + part[:start])))
        self.worker.skip_news()

    def replay_too(self, sequences: tuple[Sequence, ...], quarantine: Quarantine) -> None:
        """Replay these as well, before anything else."""
        self._replays.extend(map(Replay, quarantine.groups(sequences)))

    def passed(self, milestone: int) -> bool:
        """True if the piece that has just ended was the one up to a multiple of `milestone` calls, or beyond."""
        return self.fuzzed // milestone > (self.fuzzed - self._last_piece) // milestone

    def until(self, milestone: int) -> int:
        """Calls to the next multiple of `milestone` calls of this process."""
        return milestone - self.fuzzed % milestone

    def next_replay(self, is_measured: Callable[[Sequence], bool], admits: Callable[[Sequence], bool]) -> Replay | None:
        """The next group, without what has been quarantined meanwhile; the worker is to measure it unless others have
        measured all of it."""
        while self._replays:
            sequences = tuple(filter(admits, self._replays.popleft().sequences))
            if sequences:
                return Replay(sequences, measure=not all(map(is_measured, sequences)))
        return None

    def forget_replays(self) -> None:
        self._replays.clear()

    def assign(self, work: Work) -> None:
        assert self.incarnation is not None, "only ready workers get work"
        self.work = work
        self._finishes_pieces = True
        self._began = trio.current_time()
        self.worker.assign(work, self.incarnation)

    def assign_ahead(self, piece: Fuzz) -> None:
        """Give it the next piece, so that it need not wait for one when its work is done."""
        assert self.takes_ahead, "only a worker that fuzzes has a next piece"
        assert self.incarnation is not None, "only ready workers get work"
        self.ahead = piece
        self.worker.assign_ahead(piece, self.incarnation)

    def interrupt(self) -> None:
        """Let the current work end after the native batch. Its `Done` follows all the same."""
        if self.work is not None:
            self.worker.interrupt()

    def end_work(self, calls: int, budget: Budget, *, finished: bool) -> Work | None:
        """The current work is done; returns it. Unless it `finished`, the next piece ends as well, without calls."""
        work, self.work, self.ahead = self.work, self.ahead, None
        self._finishes_pieces = finished
        self.worker.settle_work()
        if isinstance(work, Fuzz):
            budget.settle(self.index, calls)
            self.fuzzed += calls
            self.owed = max(0, self.owed - calls)
            self._last_piece = calls
            now = trio.current_time()
            self.piece.learn(calls, now - self._began)
            self._began = now
        return work

    def recycle(self) -> None:
        """Replace the idle process in good order."""
        self.incarnation = None
        self._replays.clear()
        self.worker.recycle()

    def leave(self) -> None:
        """Let the worker leave for good. Its current work ends first, within the worker's patience."""
        self.leaving = True
        self._replays.clear()
        self.worker.stop()

    def lose_process(self, calls: int, budget: Budget) -> Work | None:
        """The process failed after `calls` of its work; the rest of its piece is free again. Returns what it had in
        hand."""
        self._restarts += 1
        return self.end_process(calls, budget)

    def end_process(self, calls: int, budget: Budget) -> Work | None:
        """The process is gone, as `lose_process`, but as requested."""
        work, self.work, self.ahead = self.work, None, None
        self.incarnation = None
        self._replays.clear()
        if isinstance(work, Fuzz):
            budget.lose(self.index, calls)
        return work

    def status(self) -> WorkerStatus:
        work = type(self.work).__name__.lower() if self.work is not None else ""
        shrinking = self.work.test if isinstance(self.work, Shrink) else None
        return WorkerStatus(self.worker.statistics(), work, self._restarts, self.ended, shrinking)
