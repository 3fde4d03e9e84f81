"""The fuzz worker actor: one slot of the campaign, filled by one worker process after the other.

It hands work to the process, one piece at a time, and passes on what the process says, in the order it was said.
Findings go to the campaign, entries to the corpus keeper first, coverage to the tracker, counters to the event log.
A process that ends, falls silent during work, or sends anything but the protocol is killed and replaced, within the
restart intensity; the campaign then gets `WorkerDown` with the calls that are lost, and gives out the work anew. One
that has made its share of calls can be recycled: it leaves in good order, and another takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import trio

from actors.runtime.errors import ProcessNotStarted, RestartsExceeded, WorkerLost, WorkerRefused
from actors.runtime.mailbox import Mailbox
from actors.runtime.supervisor import Failures, Restart, supervise
from actors.workers.frames import FrameReader, Meter
from actors.workers.handshake import greet, send, set_up
from actors.workers.patience import WorkerPatience
from actors.workers.process import Usage, WorkerProcess
from actors.workers.reports import WorkerDown, WorkerEnded, WorkerReady
from actors.workers.router import FrameRouter
from actors.workers.sequence_groups import sequence_groups
from actors.workers.services import WorkerServices, WorkerStatistics, worker_seed
from simulator.errors import FrameError
from simulator.transaction import Sequence
from simulator.worker.commands import Adopt, Fuzz, Interrupt, Replay, Setup, Shrink, Stop, ToWorker
from simulator.worker.framing import encode_frame

COMMAND_CAPACITY = 4_096
MAX_CUT_OFF = 20
"""Processes in a row that may be lost with their machine before one has done any work. What they executed may be what
takes their machines down, so further ones count as any other failure."""


class FuzzWorker:
    """Actor for worker `index`, 0-based, which has had so many processes in an earlier program. `run` it in a nursery;
    talk to it with `assign`, `tell` and `stop`. `excuses` is asked at each failure, with what the process was
    executing, whether it counts for nothing."""

    def __init__(self, index: int, services: WorkerServices, processes: int = 0) -> None:
        self.index = index
        self._services = services
        self._commands: Mailbox[ToWorker] = Mailbox(f"worker {index}", COMMAND_CAPACITY)
        self._incarnation = processes - 1
        self._ready: int | None = None
        self._process: WorkerProcess | None = None
        self.last_node = ""
        self._state = "starting"
        self._stopping = False
        self._life = trio.CancelScope()
        self._patience = WorkerPatience(index, services.limits)
        self._entry_cursor = 0
        self._word_cursor = 0
        self._meter = Meter()
        self._usage = Usage(0, 0.0)
        self._executed: Sequence = ()
        self._has_next = False
        self.excuses: Callable[[Sequence], bool] = lambda _: False
        self._is_cut_off = False
        self._cut_off_in_a_row = 0
        self._failures = Failures(services.policy.within, self._is_excused)
        self._router = FrameRouter(index, services, self._meter, self._end_work)

    # --- for the campaign --------------------------------------------------------------------------------------------

    def assign(self, work: Fuzz | Replay | Shrink, incarnation: int) -> None:
        """Give work to an idle worker, preceded by what others have found since. Never waits.

        Work for a dead process is ignored: its `WorkerDown` is already in transit.
        """
        self._meter.start_work(trio.current_time())
        if self._ready != incarnation:
            return
        assert not self._patience.is_working, "one piece of work at a time"
        self._patience.begin_work()
        self._give(work)

    def assign_ahead(self, work: Fuzz, incarnation: int) -> None:
        """Give the next piece to a worker that fuzzes, as `assign`. Its `Done` may be on the way to the campaign: then
        the piece begins at once."""
        if self._ready != incarnation:
            return
        assert not self._has_next, "one piece ahead at a time"
        if self._patience.is_working:
            self._has_next = True
        else:
            self._patience.begin_work()
            self._meter.start_next(trio.current_time())
        self._give(work)

    def _give(self, work: Fuzz | Replay | Shrink) -> None:
        for news in self._news():
            self.tell(news)
        self._state = type(work).__name__.lower()
        self.tell(work)

    def settle_work(self) -> None:
        """The campaign has booked the calls of the work that was done first."""
        self._meter.settle()

    def tell(self, command: ToWorker) -> None:
        """Pass a command on. Never waits; a process that lets thousands of them pile up is replaced."""
        if not self._commands.post(command):
            self._patience.overrun()

    def interrupt(self) -> None:
        """Let the current work end after the native batch; its `Done` follows, or the process is replaced."""
        if self._patience.interrupt():
            self.tell(Interrupt())

    def skip_news(self) -> None:
        """All that is in the corpus now reaches this worker another way, as a replay."""
        news = self._services.keeper.news(self.index, self._entry_cursor, 0)
        self._entry_cursor = news.entry_cursor

    def stop(self) -> None:
        """Let the process leave after the current native batch; `run` then returns. One that has not deployed yet, or
        does not leave in time, is killed."""
        self._stopping = True
        self.tell(Stop())
        patience = self._services.limits.leave if self._ready is not None else 0.0
        self._life.deadline = min(self._life.deadline, trio.current_time() + patience)

    def recycle(self) -> None:
        """Let the idle process leave, and start another in its place. It counts as no failure; one that does not leave
        in time is killed, and that does."""
        self._ready = None
        self._patience.leave()
        self.tell(Stop())

    def forgive(self) -> None:
        """The cause of its deaths is known and quarantined: earlier failures no longer count."""
        self._failures.forget()

    @property
    def is_interrupted(self) -> bool:
        """The current work was asked to end."""
        return self._patience.is_interrupted

    @property
    def calls_of_work(self) -> int:
        """Transactions executed so far for work that is not settled, as of the last heartbeat."""
        return self._meter.unsettled

    @property
    def processes(self) -> int:
        """Number of processes that this worker has had."""
        return self._incarnation + 1

    def statistics(self) -> WorkerStatistics:
        now = trio.current_time()
        return WorkerStatistics(
            self.index,
            self._state,
            self._process.pid if self._process else 0,
            max(self._incarnation, 0),
            self._meter.calls,
            self._meter.rate(now),
            self._usage.resident,
            self._usage.cpu,
            self._commands.statistics(),
            self._meter.age(now),
            self._meter.gas,
            self._process.node if self._process else "",
        )

    # --- the actor ---------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Keep a process running until it is stopped, refuses the target, or fails too often; each ends with a
        `WorkerEnded` to the campaign, none with an exception."""
        failure: str | None = None
        refusal: str | None = None
        try:
            with self._life:
                await supervise(
                    f"worker {self.index}",
                    self._live,
                    policy=self._services.policy,
                    rng=self._services.rng,
                    on_restart=self._report_down,
                    failures=self._failures,
                )
        except* (WorkerRefused, RestartsExceeded) as group:
            failure, refusal = _final_words(group)
        self._state = "stopped"
        executed = self._executed if failure is not None and refusal is None else ()
        await self._services.campaign.send(WorkerEnded(self.index, failure, refusal, executed))

    async def _report_down(self, restart: Restart) -> None:
        self._state = "restarting"
        lost = self._meter.unreported
        down = WorkerDown(self.index, restart.failure, restart.delay, lost, self._executed, self._is_cut_off)
        await self._services.campaign.send(down)
        # After the report, so that a campaign that ends meanwhile still counts the calls.
        self._meter.end_process()

    def _is_excused(self) -> bool:
        return self._is_cut_off or self.excuses(self._executed)

    async def _live(self) -> None:
        """One process after the other, as long as they leave to be recycled."""
        while True:
            await self._incarnate()
            if not self._patience.is_leaving or self._stopping:
                return
            self._meter.end_process()

    async def _incarnate(self) -> None:
        """One process, from its start to its end. Returns when it left on request; raises `ActorFailure` otherwise."""
        if self._stopping:
            return
        self._incarnation += 1
        self._executed = ()
        self._is_cut_off = False
        self._patience.begin_process()
        self._commands.receive_nowait(COMMAND_CAPACITY)
        self._state = "starting"
        try:
            process = await self._services.spawner(self.index)
        except ProcessNotStarted as error:
            raise WorkerLost(str(error)) from error
        self._process = process
        self.last_node = process.node
        try:
            await self._serve(process)
        except* FrameError as group:
            raise WorkerLost(f"worker {self.index} broke the protocol: {_innermost(group)}") from group
        finally:
            was_ready = self._ready is not None or self._patience.is_leaving
            self._ready = self._process = None
            self._has_next = False
            self._patience.end_process()
            await process.end()
            self._executed = process.last_executed()
            self._note_cut_off(was_ready and process.was_cut_off())

    def _note_cut_off(self, is_cut_off: bool) -> None:
        """A process that never deployed the target counts all the same, or a cluster that is no use would be tried
        forever."""
        self._cut_off_in_a_row += is_cut_off
        self._is_cut_off = is_cut_off and self._cut_off_in_a_row <= MAX_CUT_OFF

    async def _serve(self, process: WorkerProcess) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.drain_stderr)
            frames = FrameReader(self.index, process)
            await self._handshake(process, frames)
            nursery.start_soon(self._forward_commands, process)
            nursery.start_soon(self._watch, process)
            await self._read(frames)
            nursery.cancel_scope.cancel()

    # --- start -------------------------------------------------------------------------------------------------------

    async def _handshake(self, process: WorkerProcess, frames: FrameReader) -> None:
        limits = self._services.limits
        await greet(process, frames, limits, self.index)
        self._state = "deploying"
        seed = worker_seed(self._services.seed, self.index, self._incarnation)
        setup = Setup(self.index, seed, self._services.project, self._services.settings)
        ready = await set_up(process, frames, limits, setup, self._router)
        self._services.tracker.begin(self.index, ready.codes, ready)
        self._services.priorities.retire(self.index)
        self._state = "idle"
        self._ready = self._incarnation
        await self._services.campaign.send(WorkerReady(self.index, self._incarnation, seed, ready, process.node))

    # --- while it works ----------------------------------------------------------------------------------------------

    async def _read(self, frames: FrameReader) -> None:
        """Deliver frames until the process leaves as requested."""
        while True:
            chunk = await frames.next_chunk()
            self._patience.hear()
            if not chunk:
                if self._stopping or self._patience.is_leaving:
                    return
                raise await frames.lost()
            with self._patience.delivering():
                await self._router.deliver(chunk)

    def _end_work(self) -> None:
        """The process reports that the current work is done."""
        if not self._patience.is_working:
            raise FrameError("Done without work")
        self._cut_off_in_a_row = 0
        if self._has_next:
            self._has_next = False
            self._patience.go_on()
            self._meter.start_next(trio.current_time())
        else:
            self._patience.end_work()
            self._meter.end_work()
            self._state = "idle"

    async def _forward_commands(self, process: WorkerProcess) -> None:
        while True:
            command = await self._commands.receive()
            await send(process, encode_frame(command))

    async def _watch(self, process: WorkerProcess) -> None:
        """Measure the process, and raise when it is silent during work or has grown too big. All workers do so at the
        same moments: this program wakes once for all of them."""
        limits = self._services.limits
        period = min(limits.measure, limits.silence / 4)
        while True:
            await trio.sleep_until((trio.current_time() // period + 1) * period)
            self._usage = process.usage() or self._usage
            self._patience.check(self._usage.resident)

    def _news(self) -> Iterable[Adopt]:
        news = self._services.keeper.news(self.index, self._entry_cursor, self._word_cursor)
        self._entry_cursor, self._word_cursor = news.entry_cursor, news.word_cursor
        if news.words:
            yield Adopt(words=news.words)
        admitted = tuple(filter(self._services.quarantine.admits, news.sequences))
        for group in sequence_groups(admitted):
            yield Adopt(sequences=group)


def _final_words(group: BaseExceptionGroup[WorkerRefused | RestartsExceeded]) -> tuple[str, str | None]:
    """Message and refusal code of the first error in a group."""
    error = _innermost(group)
    return str(error), error.target_code if isinstance(error, WorkerRefused) else None


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
