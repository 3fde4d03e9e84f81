"""The campaign actor: it supervises the workers, gives out the work, and decides when the campaign is over.

All decisions are taken here, on messages in the order of arrival; the reports of one worker arrive in the order of its
frames, and nothing else but the clock of a time limit and commands from outside enters. With one worker and a budget
in calls the campaign is therefore the same for the same seed, event by event.

Idle workers get, in this order: sequences to replay, a failing sequence to shrink, a piece of the shared budget to
fuzz. Fuzzing ends when the budget is used, every test is decided, or a test failed with `stop_on_fail`; shrinking goes
on after that, for at most `shrink_grace` seconds once the time limit has passed. A stop on request ends both.
"""

from __future__ import annotations

from dataclasses import dataclass

import trio

from actors.budget import Budget
from actors.campaign_status import CampaignEnd, CampaignStatus
from actors.corpus_keeper import CorpusKeeper
from actors.coverage_tracker import CoverageTracker
from actors.event_log import EventLog
from actors.findings import Findings
from actors.frame_router import CHAIN_CODE
from actors.fuzz_worker import FuzzWorker
from actors.mailbox import Mailbox
from actors.messages import (
    CAMPAIGN,
    CampaignMessage,
    CampaignStopped,
    CoverageIncreased,
    EntryKept,
    EventCaused,
    GraceIsUp,
    PauseCampaign,
    Phase,
    PhaseChanged,
    ResumeCampaign,
    StopCampaign,
    StopReason,
    TimeIsUp,
    Warned,
    WorkerDown,
    WorkerEnded,
    WorkerReady,
    WorkerRestarting,
    WorkerSaid,
    WorkerStarted,
    WorkerStopped,
    WorkerWarned,
)
from actors.slot import Slot
from simulator.worker.protocol import CloseTest, Done, Executed, Falsified, Fuzz, Ready, Replay, Shrunk

MAILBOX_CAPACITY = 256


@dataclass(frozen=True)
class CampaignPlan:
    """The limits of a campaign: calls over all workers, seconds of fuzzing, executions for each shrink."""

    call_limit: int | None
    time_limit: float | None
    shrink_limit: int
    stop_on_fail: bool = False
    shrink_grace: float = 30.0


class Campaign:
    """Actor. `mailbox` takes `CampaignMessage`s; `run` returns the end of the campaign, once no worker is left."""

    def __init__(
        self,
        plan: CampaignPlan,
        mailbox: Mailbox[CampaignMessage],
        keeper: CorpusKeeper,
        tracker: CoverageTracker,
        log: EventLog,
        workers: tuple[FuzzWorker, ...],
    ) -> None:
        self._plan = plan
        self._mailbox = mailbox
        self._keeper = keeper
        self._tracker = tracker
        self._log = log
        self._slots = tuple(Slot(worker, index, len(workers)) for index, worker in enumerate(workers))
        self._budget = Budget(plan.call_limit)
        self._findings = Findings(plan.shrink_limit, keeper, log)
        self._tests = self._findings.tests
        self._phase: Phase = "deploying"
        self._ready: Ready | None = None
        self._started: float | None = None
        self._ended: float | None = None
        self._covered_at: float | None = None
        self._points = 0
        self._paused = False
        self._draining: StopReason | None = None
        self._halted = False
        self._failure: str | None = None
        self._refusal: str | None = None
        self._timers: trio.Nursery | None = None
        self._unread: list[CampaignMessage] = []

    # --- for other parts ---------------------------------------------------------------------------------------------

    async def send(self, message: CampaignMessage) -> None:
        """Deliver a command; waits while the mailbox is full. Raises `MailboxClosed` once the campaign is over."""
        await self._mailbox.send(message)

    @property
    def ready(self) -> Ready | None:
        """What the first worker said of the target, None before that."""
        return self._ready

    def status(self) -> CampaignStatus:
        """This moment's figures."""
        workers = tuple(slot.status() for slot in self._slots)
        return CampaignStatus(
            phase=self._phase,
            seconds=self._seconds(),
            calls=self._calls(),
            call_limit=self._budget.limit,
            time_limit=self._plan.time_limit,
            rate=sum(worker.statistics.rate for worker in workers if worker.work),
            seconds_since_coverage=None if self._covered_at is None else trio.current_time() - self._covered_at,
            paused=self._paused,
            tests=self._tests.records,
            workers=workers,
            corpus=self._keeper.statistics(),
            coverage=self._tracker.statistics(),
            events=self._log.statistics(),
            mailbox=self._mailbox.statistics(),
            failure=self._failure,
        )

    def _calls(self) -> int:
        return self._budget.used + sum(slot.fuzz_calls for slot in self._slots)

    def _seconds(self) -> float:
        if self._started is None:
            return 0.0
        return (self._ended or trio.current_time()) - self._started

    # --- the actor ---------------------------------------------------------------------------------------------------

    async def run(self) -> CampaignEnd:
        """Run to the end. Cancelling it kills the workers; `conclude` then still gives the result."""
        self._log.append(CAMPAIGN, PhaseChanged("deploying"))
        try:
            async with trio.open_nursery() as nursery:
                self._timers = nursery
                for slot in self._slots:
                    nursery.start_soon(slot.worker.run, name=f"worker {slot.index}")
                while not self._is_over():
                    await self._handle(await self._mailbox.receive())
                    self._decide()
                    self._give_out_work()
                await self._stop_workers()
                nursery.cancel_scope.cancel(reason="the campaign is over")
        finally:
            self._unread = self._mailbox.receive_nowait(MAILBOX_CAPACITY)
            self._mailbox.abandon()
        return await self.conclude()

    async def conclude(self) -> CampaignEnd:
        """Decide what is left undecided, save its reproducers. Called by `run`, or once after `run` was cancelled."""
        self._ended = self._ended or trio.current_time()
        for message in self._unread:
            if isinstance(message, WorkerSaid | EntryKept | WorkerDown):
                await self._handle(message)
        reason = self._draining or StopReason.INTERRUPTED
        self._require_calls(reason)
        await self._findings.finish(self._failure)
        self._log.append(CAMPAIGN, CampaignStopped(reason.value))
        return CampaignEnd(
            reason, self._calls(), self._seconds(), self._tests.records, self._ready, self._failure, self._refusal
        )

    def _require_calls(self, reason: StopReason) -> None:
        """A campaign that was to make calls and made none has tested nothing, so nothing may count as passed."""
        cut_short = reason in (StopReason.TIMEOUT, StopReason.INTERRUPTED, StopReason.REQUESTED)
        if cut_short and self._ready is not None and self._budget.limit != 0 and not self._calls():
            self._failure = f"nothing was fuzzed: the campaign ended before its first call ({reason.value})"
            self._log.append(CAMPAIGN, Warned(self._failure))

    def _is_over(self) -> bool:
        if all(slot.ended for slot in self._slots):
            return True
        busy = any(slot.work is not None for slot in self._slots)
        waiting = self._tests.shrinking and not self._halted
        return self._draining is not None and not busy and not waiting

    async def _stop_workers(self) -> None:
        for slot in self._slots:
            slot.worker.stop()
        while not all(slot.ended for slot in self._slots):
            await self._handle(await self._mailbox.receive())

    async def _handle(self, message: CampaignMessage) -> None:
        match message:
            case WorkerReady():
                await self._on_ready(message)
            case WorkerSaid():
                await self._on_said(message)
            case EntryKept():
                self._on_entry(message)
            case WorkerWarned():
                self._log.append(message.worker, Warned(message.message))
            case EventCaused():
                self._log.append(CAMPAIGN, message.event)
            case WorkerDown():
                self._on_down(message)
            case WorkerEnded():
                self._on_ended(message)
            case StopCampaign():
                self._halt(message.reason)
            case PauseCampaign():
                self._paused = True
                self._interrupt(Fuzz, Replay)
            case ResumeCampaign():
                self._paused = False
            case TimeIsUp():
                self._drain(StopReason.TIMEOUT)
                self._start_timer(self._plan.shrink_grace, GraceIsUp())
            case GraceIsUp():
                self._halt(StopReason.TIMEOUT)

    # --- reports of workers ------------------------------------------------------------------------------------------

    async def _on_ready(self, report: WorkerReady) -> None:
        slot = self._slots[report.worker]
        slot.become_ready(report.incarnation, self._keeper.sequences() if self._draining is None else ())
        self._log.append(report.worker, WorkerStarted(report.seed, report.incarnation))
        if self._ready is None:
            self._ready = report.ready
            self._tests.introduce(report.ready.tests)
            self._started = trio.current_time()
            if self._plan.time_limit is not None:
                self._start_timer(self._plan.time_limit, TimeIsUp())
        for test in self._tests.closed:
            slot.worker.tell(CloseTest(test))
        for test, reason in report.ready.falsified_at_start:
            await self._on_falsified(report.worker, Falsified(test, (), reason))

    async def _on_said(self, report: WorkerSaid) -> None:
        match report.frame:
            case Falsified():
                await self._on_falsified(report.worker, report.frame)
            case Shrunk():
                self._findings.shrunk(report.worker, report.frame)
            case Done():
                await self._on_done(report.worker, report.frame)
            case Executed():
                pass  # only asked for by steering commands, which wait for it where they asked

    async def _on_falsified(self, worker: int, frame: Falsified) -> None:
        if not await self._findings.falsify(worker, frame):
            return
        for slot in self._slots:
            if slot.index != worker and slot.incarnation is not None:
                slot.worker.tell(CloseTest(frame.test))
        self._drain_if_decided(worker)

    def _drain_if_decided(self, worker: int) -> None:
        """Drain on findings at once, so that the other workers need not finish their pieces."""
        if self._plan.stop_on_fail and self._tests.any_falsified:
            self._drain(StopReason.STOP_ON_FAIL, but=worker)
        elif self._tests.all_closed:
            self._drain(StopReason.ALL_TESTS_CLOSED, but=worker)

    async def _on_done(self, worker: int, frame: Done) -> None:
        shrunk = self._slots[worker].end_work(frame.calls, self._budget)
        if shrunk is not None:
            await self._findings.end_shrink(worker, shrunk, frame)

    def _on_entry(self, report: EntryKept) -> None:
        if not report.new:
            return
        self._covered_at = trio.current_time()
        self._points = max(self._points, report.points)
        event = CoverageIncreased(self._points, report.codes, report.sequences, report.transactions)
        self._log.append(report.worker, event)

    def _on_down(self, report: WorkerDown) -> None:
        shrunk = self._slots[report.worker].lose_process(report.calls, self._budget)
        if shrunk is not None:
            self._tests.drop_shrink(shrunk)
        self._log.append(report.worker, WorkerRestarting(report.reason, report.delay))

    def _on_ended(self, report: WorkerEnded) -> None:
        slot = self._slots[report.worker]
        shrunk = slot.lose_process(slot.worker.calls_of_work, self._budget)
        if shrunk is not None:
            self._tests.drop_shrink(shrunk)
        slot.ended = True
        chain_lost = report.refusal == CHAIN_CODE and self._ready is not None
        refused = report.refusal is not None and not chain_lost
        reason = "refused the target" if refused else report.failure or "as told"
        self._log.append(report.worker, WorkerStopped(reason))
        if chain_lost:
            # The others read the same chain, and everything found so far is worth a report.
            self._failure = report.failure
            self._halt(StopReason.CHAIN_LOST)
        elif refused:
            self._refusal, self._failure = report.refusal, report.failure
            self._halt(StopReason.REFUSED)
        elif self._draining is None and all(other.ended for other in self._slots):
            self._failure = report.failure
            self._halt(StopReason.NO_WORKERS)

    # --- decisions ---------------------------------------------------------------------------------------------------

    def _decide(self) -> None:
        if self._draining is None and self._budget.exhausted:
            self._drain(StopReason.TEST_LIMIT)

    def _drain(self, reason: StopReason, but: int | None = None) -> None:
        """No more fuzzing. Workers are interrupted, except the one whose own frame was the reason: its work ends by
        itself, always at the same place."""
        if self._draining is not None:
            return
        self._draining = reason
        self._interrupt(Fuzz, Replay, but=but)
        self._tests.begin_shrinking_optimizations()
        for slot in self._slots:
            slot.forget_replays()
        if self._tests.shrinking:
            self._enter("shrinking")

    def _halt(self, reason: StopReason) -> None:
        """No more work of any kind."""
        self._draining = self._draining or reason
        if reason is StopReason.INTERRUPTED:
            self._draining = reason
        if not self._halted:
            self._halted = True
            for slot in self._slots:
                slot.forget_replays()
                slot.interrupt()

    def _interrupt(self, *kinds: type, but: int | None = None) -> None:
        for slot in self._slots:
            if isinstance(slot.work, kinds) and slot.index != but:
                slot.interrupt()

    def _give_out_work(self) -> None:
        if self._paused or self._halted:
            return
        for slot in self._slots:
            if slot.idle:
                self._give_work_to(slot)

    def _give_work_to(self, slot: Slot) -> None:
        if (replay := slot.next_replay(self._keeper.is_measured)) is not None:
            self._enter("replaying corpus")
            slot.assign(replay)
        elif (shrink := self._tests.next_shrink()) is not None:
            slot.assign(shrink)
        elif self._draining is None:
            working = sum(not other.ended for other in self._slots)
            if (piece := self._budget.take(slot.index, slot.piece.calls, working)) > 0:
                self._enter("fuzzing")
                slot.assign(Fuzz(piece))

    def _enter(self, phase: Phase) -> None:
        """Phases only go forward; a replay for a replaced worker is part of fuzzing."""
        order: tuple[Phase, ...] = ("deploying", "replaying corpus", "fuzzing", "shrinking")
        if order.index(phase) > order.index(self._phase):
            self._phase = phase
            self._log.append(CAMPAIGN, PhaseChanged(phase))

    def _start_timer(self, seconds: float, message: CampaignMessage) -> None:
        async def ring() -> None:
            await trio.sleep(seconds)
            await self._mailbox.send(message)

        assert self._timers is not None, "timers run while the campaign runs"
        self._timers.start_soon(ring)
