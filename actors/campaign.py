"""The campaign actor: it supervises the workers, gives out the work, and decides when the campaign is over.

All decisions are taken here, on messages in the order of arrival; the reports of one worker arrive in the order of its
frames, and nothing else but the clock of a time limit and commands from outside enters. With one worker and a budget
in calls the campaign is therefore the same for the same seed, event by event, as long as nobody steers.

Fuzzing ends when the budget is used, every test is decided, or a test failed with `stop_on_fail`; shrinking goes on
after that, for at most `shrink_grace` seconds once the time limit has passed. A stop on request ends both.

The actor receives; what it does is told by concept: `campaign_course` (phases, pause and end), `worker_reports`,
`worker_losses`, `work_distribution`, `findings`, `campaign_control` (commands), `steering_desk`.
"""

from __future__ import annotations

from typing import Any, assert_never, cast

import trio

from actors.budget import Budget
from actors.call_stops import CallStops
from actors.campaign_clock import CampaignClock
from actors.campaign_control import CampaignControl
from actors.campaign_course import CampaignCourse
from actors.campaign_plan import CampaignPlan, CampaignPorts
from actors.campaign_snapshots import CampaignSnapshots
from actors.campaign_state import CampaignState, Earlier
from actors.campaign_status import CampaignEnd, CampaignStatus
from actors.crew import Crew
from actors.errors import CampaignEnding, MailboxClosed
from actors.findings import Findings
from actors.fuzz_worker import FuzzWorker
from actors.mailbox import Ask, deliver
from actors.messages import (
    CAMPAIGN,
    CampaignMessage,
    CampaignStopped,
    ClockRang,
    EntryKept,
    EventCaused,
    FuzzingResumed,
    PauseCampaign,
    ResumeCampaign,
    StopCampaign,
    StopReason,
    Warned,
    WorkerDown,
    WorkerEnded,
    WorkerReady,
    WorkerSaid,
    WorkerWarned,
)
from actors.steering import Answer, AnyCommand, Command
from actors.steering_effects import Effect, WatchedAsk
from actors.work_distribution import WorkDistribution
from actors.worker_losses import WorkerLosses
from actors.worker_reports import WorkerReports
from actors.worker_services import WorkerServices
from simulator.worker.protocol import Ready

MAILBOX_CAPACITY = 256
ASK_SECONDS = 0.1


class Campaign:
    """Actor. Its mailbox is `services.campaign`; `run` returns the end of the campaign, once no worker is left. With
    `earlier` it goes on where another program left: what that one used of the limits counts."""

    def __init__(
        self,
        plan: CampaignPlan,
        services: WorkerServices,
        workers: int,
        ports: CampaignPorts | None = None,
        earlier: Earlier | None = None,
    ) -> None:
        self._services = services
        self._mailbox = services.campaign
        self._log = services.log
        self._earlier = earlier
        state = earlier.state if earlier is not None else None
        used, seconds = (state.calls, state.seconds) if state is not None else (0, 0.0)
        self._crew = crew = Crew(services, workers, state.processes if state is not None else ())
        self._budget = budget = Budget(plan.call_limit, used)
        self._clock = clock = CampaignClock(plan.time_limit, plan.coverage_limit, plan.shrink_grace, seconds)
        self._findings = findings = Findings(plan.shrink_limit, services.keeper, services.log)
        self._tests = tests = findings.tests
        self.priorities = services.priorities
        self.priorities.calls, self.priorities.clock = self._calls, trio.current_time
        self._course = course = CampaignCourse(crew, clock, tests, services.log)
        self._control = CampaignControl(
            course, self.interim, crew, budget, clock, findings, services, ports or CampaignPorts()
        )
        self.desk = desk = self._control.desk
        self.stops = CallStops(plan.stops)
        self._distribution = WorkDistribution(course, crew, budget, tests, services, desk, self.stops)
        self._losses = WorkerLosses(course, crew, budget, findings, services, desk)
        self._reports = WorkerReports(
            course,
            crew,
            budget,
            clock,
            findings,
            services,
            desk,
            self._distribution,
            stop_on_fail=plan.stop_on_fail,
            earlier=state,
        )
        self._snapshots = CampaignSnapshots(course, crew, budget, clock, findings, services, self._control)
        if budget.exhausted or clock.is_used_up:
            course.replay_only()
        self._loaded = 0
        self._warned: set[str] = set()
        self._tasks: trio.Nursery | None = None
        self._unread: list[CampaignMessage] = []

    # --- for other parts ---------------------------------------------------------------------------------------------

    async def send(self, message: CampaignMessage) -> None:
        """Deliver a command; waits while the mailbox is full. Raises `MailboxClosed` once the campaign is over."""
        await self._mailbox.send(message)

    async def ask(self, command: Command[Answer], seconds: float = ASK_SECONDS, effect: Effect | None = None) -> Answer:
        """Steer the campaign; see `actors.steering` for what each command answers. `effect` learns at which call it
        took effect.

        Raises `AskTimeout` past `seconds` (the command may still take effect), `CampaignEnding` when it is too late,
        and the errors that the command names.
        """
        try:
            envelope: Ask[Any, Any] = (
                Ask(command) if effect is None else WatchedAsk(cast("AnyCommand", command), effect)
            )
            answer: Answer = await deliver(self._mailbox, envelope, seconds)
        except MailboxClosed as error:
            raise CampaignEnding("the campaign has ended") from error
        return answer

    async def go_on(self) -> None:
        """Leave the stop that was reached, see `CallStops`."""
        self.stops.go_on()
        await self._mailbox.send(ClockRang())

    @property
    def workers(self) -> tuple[FuzzWorker, ...]:
        """All workers there have been, by index."""
        return tuple(slot.worker for slot in self._crew.slots)

    @property
    def ready(self) -> Ready | None:
        """What the first worker said of the target, None before that."""
        return self._reports.target

    def status(self) -> CampaignStatus:
        """This moment's figures."""
        return self._snapshots.status()

    def statistics(self) -> CampaignStatus:
        """The same as `status`, by the name that all actors have for it."""
        return self._snapshots.status()

    def interim(self) -> CampaignEnd:
        """The campaign as if it ended at this moment, its tests as they stand."""
        return self._snapshots.end(self.ready)

    def state(self) -> CampaignState:
        """What a checkpoint keeps."""
        return self._snapshots.state()

    def _calls(self) -> int:
        return self._snapshots.calls()

    # --- the actor ---------------------------------------------------------------------------------------------------

    async def run(self) -> CampaignEnd:
        """Run to the end. Cancelling it kills the workers; `conclude` then still gives the result."""
        self._course.begin()
        self._loaded = self._services.keeper.statistics().sequences
        try:
            async with trio.open_nursery() as nursery:
                self._tasks = nursery
                nursery.start_soon(self._clock.run, self._ring)
                self._crew.start(nursery)
                while not self._is_over():
                    await self._handle(await self._mailbox.receive())
                    self._decide()
                    self._distribution.give_out()
                    self._end_replay()
                    self._tell_of_first_call()
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
        reason = self._course.reason or StopReason.INTERRUPTED
        self._require_calls(reason)
        await self._findings.finish(self._course.failure)
        self.desk.effects.close()
        self._log.append(CAMPAIGN, CampaignStopped(reason.value))
        self._course.reason = reason
        return self.interim()

    def _require_calls(self, reason: StopReason) -> None:
        """A campaign that was to make calls and made none has tested nothing, so nothing may count as passed."""
        cut_short = reason in (StopReason.TIMEOUT, StopReason.INTERRUPTED, StopReason.REQUESTED)
        if cut_short and self._reports.target is not None and self._budget.limit != 0 and not self._calls():
            self._course.failure = f"nothing was fuzzed: the campaign ended before its first call ({reason.value})"
            self._log.append(CAMPAIGN, Warned(self._course.failure))

    def _is_over(self) -> bool:
        if self._crew.all_ended:
            return True
        busy = any(slot.work is not None for slot in self._crew.slots)
        waiting = self._tests.shrinking or self._services.quarantine.has_trials
        return self._course.is_draining and not busy and (self._course.is_halted or not waiting)

    async def _stop_workers(self) -> None:
        self._course.dismiss()
        while not self._crew.all_ended:
            await self._handle(await self._mailbox.receive())

    def _warn(self, said: WorkerWarned) -> None:
        """Every worker meets what one meets; a person is told once."""
        if said.message not in self._warned:
            self._warned.add(said.message)
            self._log.append(said.worker, Warned(said.message))

    async def _handle(self, message: CampaignMessage) -> None:
        match message:
            case WorkerReady():
                await self._reports.ready(message)
            case WorkerSaid():
                await self._reports.said(message)
            case EntryKept():
                self._reports.kept(message)
            case WorkerWarned():
                self._warn(message)
            case EventCaused():
                self._log.append(CAMPAIGN, message.event)
            case WorkerDown():
                await self._losses.down(message)
            case WorkerEnded():
                await self._losses.ended(message, was_ready=self.ready is not None)
            case StopCampaign():
                self._course.halt(message.reason)
            case PauseCampaign():
                self._course.pause()
            case ResumeCampaign():
                self._course.resume()
            case ClockRang():
                self._course.ring()
            case Ask():
                await self._control.answer(message, self._tasks)
            case _:
                assert_never(message)

    def _decide(self) -> None:
        if self._budget.exhausted and not self._course.only_replays:
            self._course.drain(StopReason.TEST_LIMIT)

    def _end_replay(self) -> None:
        if self._course.only_replays and self._crew.has_replayed:
            self._course.end_replay()
            self._reports.drain_if_decided()
            self._decide()

    def _tell_of_first_call(self) -> None:
        if self._earlier is not None and self._course.phase == "fuzzing":
            seconds = round(trio.current_time() - self._earlier.began, 3)
            self._log.append(CAMPAIGN, FuzzingResumed(seconds, self._loaded))
            self._earlier = None
