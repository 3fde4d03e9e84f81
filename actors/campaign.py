"""The campaign actor: it supervises the workers, gives out the work, and decides when the campaign is over.

All decisions are taken here, on messages in the order of arrival; the reports of one worker arrive in the order of its
frames, and nothing else but the clock of a time limit and commands from outside enters. With one worker and a budget
in calls the campaign is therefore the same for the same seed, event by event, as long as nobody steers.

Idle workers get, in this order: sequences to replay, a failing sequence to shrink, a piece of the shared budget to
fuzz. Fuzzing ends when the budget is used, every test is decided, or a test failed with `stop_on_fail`; shrinking goes
on after that, for at most `shrink_grace` seconds once the time limit has passed. A stop on request ends both.
"""

from __future__ import annotations

from typing import assert_never

import trio

from actors.budget import Budget
from actors.campaign_clock import CampaignClock
from actors.campaign_control import CampaignControl
from actors.campaign_plan import CampaignPlan, CampaignPorts
from actors.campaign_status import CampaignEnd, CampaignStatus
from actors.crew import Crew
from actors.errors import CampaignEnding, MailboxClosed
from actors.findings import Findings
from actors.frame_router import CHAIN_CODE
from actors.fuzz_worker import FuzzWorker
from actors.mailbox import Ask, ask
from actors.messages import (
    CAMPAIGN,
    CampaignMessage,
    CampaignStopped,
    ClockRang,
    CoverageIncreased,
    EntryKept,
    EventCaused,
    PauseCampaign,
    Phase,
    PhaseChanged,
    ResumeCampaign,
    Steered,
    StopCampaign,
    StopReason,
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
from actors.priority_manager import REVIEW_CALLS
from actors.slot import Slot, Work
from actors.steering import (
    Answer,
    Command,
)
from actors.worker_services import WorkerServices
from simulator.worker.protocol import (
    CloseTest,
    Done,
    Executed,
    Falsified,
    Fuzz,
    Injected,
    Ready,
    Replay,
    Shrink,
    Shrunk,
)

MAILBOX_CAPACITY = 256
ASK_SECONDS = 0.1


class Campaign:
    """Actor. Its mailbox is `services.campaign`; `run` returns the end of the campaign, once no worker is left."""

    def __init__(
        self, plan: CampaignPlan, services: WorkerServices, workers: int, ports: CampaignPorts | None = None
    ) -> None:
        self._plan = plan
        self._services = services
        self._mailbox = services.campaign
        self._keeper = services.keeper
        self._tracker = services.tracker
        self._log = services.log
        self._quarantine = services.quarantine
        self._crew = Crew(services, workers)
        self._budget = Budget(plan.call_limit)
        self._clock = CampaignClock(plan.time_limit, plan.coverage_limit, plan.shrink_grace)
        self._findings = Findings(plan.shrink_limit, services.keeper, services.log)
        self._tests = self._findings.tests
        self.priorities = services.priorities
        self.priorities.calls, self.priorities.clock = self._calls, trio.current_time
        self._control = CampaignControl(
            self, self._crew, self._budget, self._clock, self._findings, services, ports or CampaignPorts()
        )
        self.desk = self._control.desk
        self._phase: Phase = "deploying"
        self._ready: Ready | None = None
        self._points = 0
        self._paused = False
        self._draining: StopReason | None = None
        self._halted = False
        self._failure: str | None = None
        self._refusal: str | None = None
        self._tasks: trio.Nursery | None = None
        self._unread: list[CampaignMessage] = []

    # --- for other parts ---------------------------------------------------------------------------------------------

    async def send(self, message: CampaignMessage) -> None:
        """Deliver a command; waits while the mailbox is full. Raises `MailboxClosed` once the campaign is over."""
        await self._mailbox.send(message)

    async def ask(self, command: Command[Answer], seconds: float = ASK_SECONDS) -> Answer:
        """Steer the campaign; see `actors.steering` for what each command answers.

        Raises `AskTimeout` past `seconds` (the command may still take effect), `CampaignEnding` when it is too late,
        and the errors that the command names.
        """
        try:
            answer: Answer = await ask(self._mailbox, command, seconds)
        except MailboxClosed as error:
            raise CampaignEnding("the campaign has ended") from error
        return answer

    @property
    def workers(self) -> tuple[FuzzWorker, ...]:
        """All workers there have been, by index."""
        return tuple(slot.worker for slot in self._crew.slots)

    @property
    def ready(self) -> Ready | None:
        """What the first worker said of the target, None before that."""
        return self._ready

    def status(self) -> CampaignStatus:
        """This moment's figures."""
        workers = tuple(slot.status() for slot in self._crew.slots)
        return CampaignStatus(
            phase=self._phase,
            seconds=self._clock.seconds,
            calls=self._calls(),
            call_limit=self._budget.limit,
            time_limit=self._clock.time_limit,
            rate=sum(worker.statistics.rate for worker in workers if worker.work),
            seconds_since_coverage=self._clock.seconds_since_coverage,
            paused=self._paused,
            tests=self._tests.records,
            workers=workers,
            corpus=self._keeper.statistics(),
            coverage=self._tracker.statistics(),
            events=self._log.statistics(),
            mailbox=self._mailbox.statistics(),
            failure=self._failure,
            limits=self._control.limits(),
            steering=self.desk.statistics(),
            quarantine=self._quarantine.statistics(),
        )

    def statistics(self) -> CampaignStatus:
        """The same as `status`, by the name that all actors have for it."""
        return self.status()

    def interim(self) -> CampaignEnd:
        """The campaign as if it ended at this moment, its tests as they stand."""
        return CampaignEnd(
            self._draining or StopReason.RUNNING,
            self._calls(),
            self._clock.seconds,
            self._tests.records,
            self._ready,
            self._failure,
            self._refusal,
        )

    def _calls(self) -> int:
        return self._budget.used + sum(slot.fuzz_calls for slot in self._crew.slots)

    # --- the actor ---------------------------------------------------------------------------------------------------

    async def run(self) -> CampaignEnd:
        """Run to the end. Cancelling it kills the workers; `conclude` then still gives the result."""
        self._log.append(CAMPAIGN, PhaseChanged("deploying"))
        try:
            async with trio.open_nursery() as nursery:
                self._tasks = nursery
                nursery.start_soon(self._clock.run, self._ring)
                self._crew.start(nursery)
                while not self._is_over():
                    await self._handle(await self._mailbox.receive())
                    self._decide()
                    self._give_out_work()
                await self._stop_workers()
                nursery.cancel_scope.cancel(reason="the campaign is over")
        finally:
            self._leave()
        return await self.conclude()

    def _leave(self) -> None:
        """Whoever still waits for an answer is told that there is none."""
        self._unread = self._mailbox.receive_nowait(MAILBOX_CAPACITY)
        self._mailbox.abandon()
        self.desk.close()
        for message in self._unread:
            if isinstance(message, Ask):
                message.reply.fail(CampaignEnding("the campaign has ended"))

    async def _ring(self) -> None:
        await self._mailbox.send(ClockRang())

    async def conclude(self) -> CampaignEnd:
        """Decide what is left undecided, save its reproducers. Called by `run`, or once after `run` was cancelled."""
        self._clock.end()
        for message in self._unread:
            if isinstance(message, WorkerSaid | EntryKept | WorkerDown):
                await self._handle(message)
        reason = self._draining or StopReason.INTERRUPTED
        self._require_calls(reason)
        await self._findings.finish(self._failure)
        self._log.append(CAMPAIGN, CampaignStopped(reason.value))
        self._draining = reason
        return self.interim()

    def _require_calls(self, reason: StopReason) -> None:
        """A campaign that was to make calls and made none has tested nothing, so nothing may count as passed."""
        cut_short = reason in (StopReason.TIMEOUT, StopReason.INTERRUPTED, StopReason.REQUESTED)
        if cut_short and self._ready is not None and self._budget.limit != 0 and not self._calls():
            self._failure = f"nothing was fuzzed: the campaign ended before its first call ({reason.value})"
            self._log.append(CAMPAIGN, Warned(self._failure))

    def _is_over(self) -> bool:
        if self._crew.all_ended:
            return True
        busy = any(slot.work is not None for slot in self._crew.slots)
        waiting = self._tests.shrinking and not self._halted
        return self._draining is not None and not busy and not waiting

    async def _stop_workers(self) -> None:
        self._halted = True
        self._clock.stop()
        for slot in self._crew.slots:
            slot.worker.stop()
        while not self._crew.all_ended:
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
                await self._on_down(message)
            case WorkerEnded():
                await self._on_ended(message)
            case StopCampaign():
                self.halt(message.reason)
            case PauseCampaign():
                self.pause()
            case ResumeCampaign():
                self.resume()
            case ClockRang():
                self._on_ring()
            case Ask():
                await self._control.answer(message, self._tasks)
            case _:
                assert_never(message)

    def _on_ring(self) -> None:
        reason = self._clock.passed()
        if reason is not None and self._draining is None:
            self._drain(reason)
        elif reason is StopReason.TIMEOUT:
            self.halt(reason)
        self._clock.rearm()

    # --- steering ----------------------------------------------------------------------------------------------------

    @property
    def is_draining(self) -> bool:
        """No more fuzzing; shrinking may go on."""
        return self._draining is not None

    @property
    def is_halted(self) -> bool:
        """No more work of any kind."""
        return self._halted

    def pause(self) -> bool:
        """Give out no more fuzzing and replaying. False when that was so already."""
        changed, self._paused = not self._paused, True
        if changed:
            self._say("pause", "")
            self._clock.pause()
            self.interrupt(Fuzz, Replay)
        return changed

    def resume(self) -> bool:
        """Give out work again. False when it is given out already."""
        changed, self._paused = self._paused, False
        if changed:
            self._say("resume", "")
            self._clock.resume()
        return changed

    def _say(self, command: str, detail: str) -> None:
        self._log.append(CAMPAIGN, Steered(command, detail))

    # --- reports of workers ------------------------------------------------------------------------------------------

    async def _on_ready(self, report: WorkerReady) -> None:
        slot = self._crew.slots[report.worker]
        corpus = self._keeper.sequences() if self._draining is None else ()
        slot.become_ready(report.incarnation, corpus, self._crew.size, self._quarantine)
        self._log.append(report.worker, WorkerStarted(report.seed, report.incarnation))
        if self._ready is None:
            self._ready = report.ready
            self._tests.introduce(report.ready.tests)
            self.priorities.introduce(report.ready.functions)
            self._clock.start()
        for test in self._tests.closed:
            slot.worker.tell(CloseTest(test))
        self.desk.greet(slot, self._quarantine.admits)
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
                self.desk.executed(report.frame)
            case Injected():
                self.desk.injected(report.worker, report.frame)

    async def _on_falsified(self, worker: int, frame: Falsified) -> None:
        if not await self._findings.falsify(worker, frame):
            return
        for slot in self._crew.live:
            if slot.index != worker:
                slot.worker.tell(CloseTest(frame.test))
        self._drain_if_decided(worker)

    def _drain_if_decided(self, worker: int) -> None:
        """Drain on findings at once, so that the other workers need not finish their pieces."""
        if self._plan.stop_on_fail and self._tests.any_falsified:
            self._drain(StopReason.STOP_ON_FAIL, but=worker)
        elif self._tests.all_closed:
            self._drain(StopReason.ALL_TESTS_CLOSED, but=worker)

    async def _on_done(self, worker: int, frame: Done) -> None:
        slot = self._crew.slots[worker]
        work = slot.end_work(frame.calls, self._budget)
        if isinstance(work, Shrink):
            await self._findings.end_shrink(worker, work.test, frame)
        elif isinstance(work, Replay) and frame.reason == "finished":
            self._quarantine.clear(work.sequences)
        elif isinstance(work, Fuzz) and slot.live and self._draining is None:
            self._pass_milestones(slot)

    def _pass_milestones(self, slot: Slot) -> None:
        """Pieces end at milestones, so what is done there follows calls and not the clock."""
        recycle = self._services.limits.recycle
        if recycle and slot.fuzzed >= recycle:
            slot.recycle()
            reason = f"worker {slot.index} is recycled after {slot.fuzzed} calls"
            self._log.append(slot.index, WorkerRestarting(reason, 0.0))
        elif slot.passed(REVIEW_CALLS) and self.priorities.review():
            self.desk.tell_focus()

    def _on_entry(self, report: EntryKept) -> None:
        if not report.new:
            return
        self._clock.cover()
        self._points = max(self._points, report.points)
        event = CoverageIncreased(self._points, report.codes, report.sequences, report.transactions)
        self._log.append(report.worker, event)

    async def _on_down(self, report: WorkerDown) -> None:
        self._log.append(report.worker, WorkerRestarting(report.reason, report.delay))
        await self._lose_process(self._crew.slots[report.worker], report.calls)

    async def _on_ended(self, report: WorkerEnded) -> None:
        slot = self._crew.slots[report.worker]
        slot.ended = True
        chain_lost = report.refusal == CHAIN_CODE and self._ready is not None
        refused = report.refusal is not None and not chain_lost
        reason = "refused the target" if refused else report.failure or "as told"
        self._log.append(report.worker, WorkerStopped(reason))
        if report.failure is None:
            self._take_back(slot.lose_process(slot.worker.calls_of_work, self._budget))
            self.desk.lose(slot.index)
        else:
            await self._lose_process(slot, slot.worker.calls_of_work)
        if chain_lost:
            # The others read the same chain, and everything found so far is worth a report.
            self._failure = report.failure
            self._log.append(CAMPAIGN, Warned(f"the campaign ends: {report.failure}"))
            self.halt(StopReason.CHAIN_LOST)
        elif refused:
            self._refusal, self._failure = report.refusal, report.failure
            self.halt(StopReason.REFUSED)
        elif self._draining is None and self._crew.all_ended:
            self._failure = report.failure
            self.halt(StopReason.NO_WORKERS)

    async def _lose_process(self, slot: Slot, calls: int) -> None:
        """Take back the work of a process that failed, and find out whether a sequence is to blame."""
        work = slot.lose_process(calls, self._budget)
        in_hand = self.desk.lose(slot.index)
        self._take_back(work)
        match work:
            case Replay(sequences=(sequence,)):
                in_hand = (*in_hand, sequence)
            case Replay(sequences=sequences):
                self._quarantine.suspect(sequences)
            case Shrink(test=test, sequence=sequence):
                if self._quarantine.blame(sequence):
                    await self._findings.give_up(test)
        for sequence in in_hand:
            if self._quarantine.blame(sequence):
                await self._findings.crash(slot.index, sequence)

    def _take_back(self, work: Work | None) -> None:
        if isinstance(work, Shrink):
            self._tests.drop_shrink(work.test)

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
        self._clock.stop_fuzzing()
        self._clock.rearm()
        self.interrupt(Fuzz, Replay, but=but)
        self._tests.begin_shrinking_optimizations()
        for slot in self._crew.slots:
            slot.forget_replays()
        if self._tests.shrinking:
            self._enter("shrinking")

    def halt(self, reason: StopReason) -> None:
        """No more work of any kind."""
        self._draining = self._draining or reason
        if reason is StopReason.INTERRUPTED:
            self._draining = reason
        if not self._halted:
            self._halted = True
            self._clock.stop()
            for slot in self._crew.slots:
                slot.forget_replays()
                slot.interrupt()

    def interrupt(self, *kinds: type, but: int | None = None) -> None:
        """Let work of these kinds end after the native batch, except that of one worker."""
        for slot in self._crew.slots:
            if isinstance(slot.work, kinds) and slot.index != but:
                slot.interrupt()

    def _give_out_work(self) -> None:
        if self._paused or self._halted:
            return
        for slot in self._crew.slots:
            if slot.idle:
                self._give_work_to(slot)

    def _give_work_to(self, slot: Slot) -> None:
        if (replay := slot.next_replay(self._keeper.is_measured, self._quarantine.admits)) is not None:
            self._enter("replaying corpus")
            slot.assign(replay)
        elif (shrink := self._tests.next_shrink()) is not None:
            slot.assign(shrink)
        elif self._draining is None:
            wanted = min(slot.piece.calls, self._until_milestone(slot))
            if (piece := self._budget.take(slot.index, wanted, self._crew.size)) > 0:
                self._enter("fuzzing")
                slot.assign(Fuzz(piece))

    def _enter(self, phase: Phase) -> None:
        """Phases only go forward; a replay for a replaced worker is part of fuzzing."""
        order: tuple[Phase, ...] = ("deploying", "replaying corpus", "fuzzing", "shrinking")
        if order.index(phase) > order.index(self._phase):
            self._phase = phase
            self._log.append(CAMPAIGN, PhaseChanged(phase))

    def _until_milestone(self, slot: Slot) -> int:
        recycle = self._services.limits.recycle
        review = slot.until(REVIEW_CALLS)
        return min(review, max(1, recycle - slot.fuzzed)) if recycle else review
