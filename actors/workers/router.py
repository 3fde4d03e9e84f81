"""Routes of worker frames: entries to the corpus keeper first, coverage to the tracker, findings to the campaign."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import trio

import actors.corpus.messages as corpus
from actors.corpus.messages import Kept
from actors.coverage.places import NewPlace
from actors.runtime.errors import WorkerLost, WorkerRefused
from actors.workers.frames import Meter
from actors.workers.reports import EntryKept, EventCaused, WorkerReported, WorkerWarned
from actors.workers.services import WorkerServices
from simulator.corpus.identity import sequence_hash
from simulator.errors import ChainError, FrameError
from simulator.worker.reports import (
    Coverage,
    Done,
    Executed,
    Failed,
    Falsified,
    FromWorker,
    FunctionCounts,
    Heartbeat,
    Hello,
    Injected,
    Interesting,
    Measured,
    NewCode,
    Obeyed,
    Observed,
    Presumed,
    Ready,
    Shrunk,
    Skipped,
    Warn,
    Words,
)

CHAIN_CODE = ChainError.code
REFUSALS = frozenset({"E_TARGET", "E_ABI", "E_COMPILE", "E_CORPUS", "E_KERNEL", CHAIN_CODE})
"""Codes of errors that every restart would meet again."""
MAX_WARNINGS = 1_000


class FrameRouter:
    """Delivers the frames of one slot in the order they came; waits for receivers without room. `on_done` is called
    before the campaign hears of a `Done`."""

    def __init__(self, index: int, services: WorkerServices, meter: Meter, on_done: Callable[[], None]) -> None:
        self._index = index
        self._services = services
        self._meter = meter
        self._on_done = on_done
        self._warned: set[str] = set()

    async def deliver(self, chunk: list[FromWorker]) -> None:
        """All entries of a chunk are written in one go, before any other frame of the chunk is acted on; only codes
        come first, because they define what entries cover."""
        for frame in chunk:
            if isinstance(frame, NewCode):
                self._services.tracker.add_code(self._index, frame.id, frame.code)
        items: list[corpus.Found | corpus.EntryMeasured] = []
        places: list[NewPlace] = []
        for frame in chunk:
            if isinstance(frame, Interesting | Measured):
                is_found = isinstance(frame, Interesting)
                places.append(self._services.tracker.new_place(self._index, frame.features) if is_found else NewPlace())
                items.append(self._item(frame))
                await trio.lowlevel.checkpoint()
        taken = await self._services.keeper.take(self._index, tuple(items)) if items else ()
        kept = zip(taken, places, strict=True)
        for frame in chunk:
            if isinstance(frame, Interesting | Measured):
                await self._deliver_answer(frame, *next(kept))
            else:
                await self._deliver(frame)

    def _item(self, frame: Interesting | Measured) -> corpus.Found | corpus.EntryMeasured:
        measure = corpus.Measure(self._services.tracker.feature_set(self._index, frame.features), frame.gas)
        if isinstance(frame, Interesting):
            return corpus.Found(frame.sequence, measure if frame.gas else None)
        return corpus.EntryMeasured(frame.entry, measure)

    async def _deliver_answer(self, frame: Interesting | Measured, kept: Kept, place: NewPlace) -> None:
        """Forward the keeper's result for an item; the event of entries set aside because of it comes first."""
        if kept.problem is not None:
            await self.warn(kept.problem)
        if kept.minimised is not None:
            await self._services.campaign.send(EventCaused(self._index, kept.minimised))
        if isinstance(frame, Measured):
            return
        function, entry = "", ""
        if kept.new and frame.sequence:
            self._services.tracker.cover_function(frame.sequence[-1], trio.current_time())
            info = self._services.tracker.function_of(frame.sequence[-1])
            function = f"{info.contract}.{info.signature}" if info is not None else ""
            entry = sequence_hash(frame.sequence)
        totals = (frame.points, frame.codes, kept.sequences, kept.transactions)
        await self._services.campaign.send(EntryKept(self._index, kept.new, *totals, function, entry, place))

    async def _deliver(self, frame: FromWorker) -> None:
        services = self._services
        match frame:
            case Heartbeat():
                calls, reverted = self._meter.beat(frame, trio.current_time())
                services.log.count_transactions(self._index, calls, reverted)
            case Coverage():
                services.tracker.absorb(self._index, frame)
            case NewCode():
                pass  # acted on when the chunk came
            case FunctionCounts():
                services.tracker.count_functions(self._index, frame)
                services.priorities.count(self._index, frame)
            case Observed():
                services.tracker.observe(self._index, frame)
            case Words():
                services.keeper.keep_words(self._index, frame.words)
            case Done():
                self._on_done()
                await services.campaign.send(WorkerReported(self._index, frame))
            case Falsified() | Skipped() | Presumed() | Shrunk() | Executed() | Injected() | Obeyed():
                await services.campaign.send(WorkerReported(self._index, frame))
            case Warn():
                await self.warn(frame.message)
            case Failed():
                self.fail(frame)
            case Hello() | Ready() | Interesting() | Measured():
                raise FrameError(f"unexpected {type(frame).__name__}")

    def fail(self, frame: Failed) -> NoReturn:
        """Raise what a worker's last words stand for."""
        if frame.code in REFUSALS:
            raise WorkerRefused(frame.code, frame.message)
        raise WorkerLost(f"worker {self._index} failed: {frame.message}")

    async def warn(self, message: str) -> None:
        """The user is warned once, whichever process of this worker says it."""
        if message not in self._warned and len(self._warned) < MAX_WARNINGS:
            self._warned.add(message)
            await self._services.campaign.send(WorkerWarned(self._index, message))
