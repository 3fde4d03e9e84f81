"""The campaign actor: it supervises the workers, gives out the work, and decides when the campaign is over.

All decisions are taken here, on messages in the order of arrival; the reports of one worker arrive in the order of its
frames, and nothing else but the clock of a time limit and commands from outside enters. With one worker and a budget
in calls the campaign is therefore the same for the same seed, event by event, without steering.

Fuzzing ends when the budget is used, every test is decided, or a test failed with `stop_on_fail`; shrinking continues
after that, for at most `shrink_grace` seconds once the time limit has passed. A stop on request ends both.

The actor receives. `books` holds its state; its handlers get the books and the message: `reports` and `losses` of
workers, `control` for commands, `distribution` for work, `lifecycle` for phases, pause and end.
"""

from __future__ import annotations

from typing import Any, assert_never, cast

import trio

from actors.campaign import snapshots
from actors.campaign.books import open_books
from actors.campaign.budget import CallStops
from actors.campaign.control import CampaignControl
from actors.campaign.distribution import WorkDistribution
from actors.campaign.losses import WorkerLosses
from actors.campaign.messages import CampaignMessage, ClockRang, StopCampaign
from actors.campaign.plan import CampaignPlan, CampaignPorts
from actors.campaign.reports import WorkerReports
from actors.campaign.state import CampaignState, Earlier
from actors.campaign.status import CampaignEnd, CampaignStatus
from actors.campaign.worker_steering import WorkerSteering
from actors.events.types import CAMPAIGN, FuzzingResumed, StopReason, Warned
from actors.priorities.manager import PriorityManager
from actors.runtime.errors import CampaignEnding, MailboxClosed
from actors.runtime.mailbox import Ask, Mailbox, deliver
from actors.steering.commands import Answer, AnyCommand, Command
from actors.steering.effects import Effect, WatchedAsk
from actors.workers.reports import (
    EntryKept,
    EventCaused,
    WorkerDown,
    WorkerEnded,
    WorkerReady,
    WorkerReported,
    WorkerWarned,
)
from actors.workers.services import WorkerServices
from actors.workers.worker import FuzzWorker
from simulator.transaction import Sequence
from simulator.worker.reports import Ready

MAILBOX_CAPACITY = 256
ASK_SECONDS = 0.1


class Campaign:
    """Actor. Receives from `mailbox`, to which its workers report. `run` returns the end of the campaign, once no
    worker is left. With `earlier` it continues that campaign: what that one used of the limits counts."""

    def __init__(
        self,
        plan: CampaignPlan,
        mailbox: Mailbox[CampaignMessage],
        services: WorkerServices,
        workers: int,
        ports: CampaignPorts | None = None,
        earlier: Earlier | None = None,
    ) -> None:
        ports = ports or CampaignPorts()
        state = earlier.state if earlier is not None else None
        self._earlier = earlier
        self._books = books = open_books(plan, mailbox, services, workers, ports, state, self._keep_injected)
        self._distribution = WorkDistribution(books)
        self._losses = WorkerLosses(books)
        self._reports = WorkerReports(books, self._distribution)
        self._control = CampaignControl(books, ports.dump)
        services.priorities.calls, services.priorities.clock = books.calls, trio.current_time
        if books.budget.exhausted or books.clock.is_used_up:
            books.lifecycle.replay_only()
        self._loaded = 0
        self._warned: set[str] = set()
        self._unread: list[CampaignMessage] = []

    # --- for other parts ---------------------------------------------------------------------------------------------

    async def send(self, message: CampaignMessage) -> None:
        """Deliver a command; waits while the mailbox is full. Raises `MailboxClosed` once the campaign is over."""
        await self._books.mailbox.send(message)

    async def ask(self, command: Command[Answer], seconds: float = ASK_SECONDS, effect: Effect | None = None) -> Answer:
        """Steer the campaign; `actors.steering.commands` says what each command answers. `effect` learns at which call
        it took effect.

        Raises `AskTimeout` past `seconds` (the command may still take effect), `CampaignEnding` when it is too late,
        and the errors that the command names.
        """
        try:
            envelope: Ask[Any, Any] = (
                Ask(command) if effect is None else WatchedAsk(cast("AnyCommand", command), effect)
            )
            answer: Answer = await deliver(self._books.mailbox, envelope, seconds)
        except MailboxClosed as error:
            raise CampaignEnding("the campaign has ended") from error
        return answer

    @property
    def stops(self) -> CallStops:
        """Numbers of calls at which the campaign holds still."""
        return self._books.stops

    async def proceed(self) -> None:
        """Leave the stop that was reached, see `CallStops`."""
        self._books.stops.proceed()
        await self._books.mailbox.send(ClockRang())

    @property
    def workers(self) -> tuple[FuzzWorker, ...]:
        """All workers there have been, by index."""
        return tuple(slot.worker for slot in self._books.pool.slots)

    @property
    def steering(self) -> WorkerSteering:
        """Commands that users have given to the workers."""
        return self._books.steering

    @property
    def priorities(self) -> PriorityManager:
        """The weights of the functions that workers call."""
        return self._books.services.priorities

    @property
    def ready(self) -> Ready | None:
        """Description of the target by the first worker, None before that."""
        return self._books.target

    @property
    def is_over(self) -> bool:
        """No further work is assigned, and no figure changes any longer."""
        return self._books.lifecycle.is_over

    def status(self) -> CampaignStatus:
        """This moment's figures."""
        return snapshots.status(self._books)

    def statistics(self) -> CampaignStatus:
        """The same as `status`, by the name that all actors have for it."""
        return snapshots.status(self._books)

    def failed_tests(self) -> int:
        """Number of failed tests so far."""
        return sum(record.falsified for record in self._books.findings.tests.records if record.parent < 0)

    def interim(self) -> CampaignEnd:
        """The outcome if the campaign ended now, with the current state of its tests."""
        return snapshots.end(self._books)

    def state(self) -> CampaignState:
        """State kept by a checkpoint."""
        return snapshots.state(self._books)

    # --- the actor ---------------------------------------------------------------------------------------------------

    async def run(self) -> CampaignEnd:
        """Run to the end. Cancelling it kills the workers; `conclude` then still gives the result."""
        self._books.lifecycle.begin(paused=self._books.plan.begins_paused)
        self._loaded = self._books.services.keeper.statistics().sequences
        try:
            async with trio.open_nursery() as nursery:
                self._books.nursery = nursery
                nursery.start_soon(self._books.clock.run, self._ring)
                self._books.pool.start(nursery)
                while not self._is_over():
                    await self._handle(await self._books.mailbox.receive())
                    self._decide()
                    self._distribution.give_out()
                    self._end_replay()
                    self._announce_first_call()
                await self._stop_workers()
                nursery.cancel_scope.cancel(reason="the campaign is over")
        finally:
            self._leave()
        return await self.conclude()

    def _leave(self) -> None:
        """Refuse commands that still wait for an answer."""
        self._unread = self._books.mailbox.receive_nowait(MAILBOX_CAPACITY)
        self._books.mailbox.abandon()
        self._books.steering.close()
        for message in self._unread:
            if isinstance(message, Ask):
                message.reply.fail(CampaignEnding("the campaign has ended"))

    async def _ring(self) -> None:
        await self._books.mailbox.send(ClockRang())

    async def conclude(self) -> CampaignEnd:
        """Decide what is left undecided, save its reproducers. Called by `run`, or once after `run` was cancelled."""
        self._books.clock.end()
        for message in self._unread:
            if isinstance(message, WorkerReported | EntryKept | WorkerDown):
                await self._handle(message)
        reason = self._books.lifecycle.reason or StopReason.INTERRUPTED
        self._require_calls(reason)
        await self._books.findings.finish(self._books.lifecycle.failure)
        self._books.steering.effects.close()
        self._books.lifecycle.stop(reason)
        return self.interim()

    def fail(self, failure: str) -> CampaignEnd:
        """End the campaign because of an error of the program: notify its readers, and report its tests as they are.
        Called at any time; a campaign that has stopped keeps its reason."""
        books = self._books
        books.clock.end()
        if books.lifecycle.is_over:
            books.log.append(CAMPAIGN, Warned(failure))
        books.lifecycle.failure = books.lifecycle.failure or failure
        books.findings.tests.finish(books.lifecycle.failure)
        books.steering.effects.close()
        books.lifecycle.stop(StopReason.FAILED)
        return self.interim()

    def _require_calls(self, reason: StopReason) -> None:
        """A campaign that was to make calls and made none has tested nothing, so nothing may count as passed."""
        cut_short = reason in (StopReason.TIMEOUT, StopReason.INTERRUPTED, StopReason.REQUESTED)
        if cut_short and self._books.target is not None and self._books.budget.limit != 0 and not self._books.calls():
            self._books.lifecycle.failure = (
                f"nothing was fuzzed: the campaign ended before its first call ({reason.value})"
            )
            self._books.log.append(CAMPAIGN, Warned(self._books.lifecycle.failure))

    def _is_over(self) -> bool:
        if self._books.pool.all_ended:
            return True
        lifecycle = self._books.lifecycle
        busy = any(slot.work is not None for slot in self._books.pool.slots)
        waiting = self._books.findings.tests.shrinking or self._books.services.quarantine.has_trials
        if not lifecycle.is_draining or busy or (waiting and not lifecycle.is_halted):
            return False
        if self._books.plan.stays_open and not lifecycle.is_halted:
            if lifecycle.become_idle():
                self._books.tasks.start_soon(self._control.report)
            return False
        return True

    async def _stop_workers(self) -> None:
        self._books.lifecycle.dismiss()
        while not self._books.pool.all_ended:
            await self._handle(await self._books.mailbox.receive())

    def _keep_injected(self, sequence: Sequence) -> None:
        """Store a sequence that a user injected, in a task of its own: the actor does not wait for the disk."""

        async def keep() -> None:
            try:
                (kept,) = await self._books.services.keeper.keep_injected((sequence,))
            except MailboxClosed:
                return
            if kept.problem is not None:
                self._books.log.append(CAMPAIGN, Warned(kept.problem))

        self._books.tasks.start_soon(keep)

    def _warn(self, said: WorkerWarned) -> None:
        """Every worker meets what one meets; the user is told once."""
        if said.message not in self._warned:
            self._warned.add(said.message)
            self._books.log.append(said.worker, Warned(said.message))

    async def _handle(self, message: CampaignMessage) -> None:
        match message:
            case WorkerReady():
                await self._reports.ready(message)
            case WorkerReported():
                await self._reports.said(message)
            case EntryKept():
                self._reports.kept(message)
            case WorkerWarned():
                self._warn(message)
            case EventCaused():
                self._books.log.append(CAMPAIGN, message.event)
            case WorkerDown():
                await self._losses.down(message)
            case WorkerEnded():
                await self._losses.ended(message, was_ready=self.ready is not None)
            case StopCampaign():
                self._books.lifecycle.halt(message.reason)
            case ClockRang():
                self._books.lifecycle.ring()
            case Ask():
                await self._control.answer(message)
            case _:
                assert_never(message)

    def _decide(self) -> None:
        if self._books.budget.exhausted and not self._books.lifecycle.only_replays:
            self._books.lifecycle.drain(StopReason.TEST_LIMIT)

    def _end_replay(self) -> None:
        if self._books.lifecycle.only_replays and self._books.pool.has_replayed:
            self._books.lifecycle.end_replay()
            self._reports.drain_if_decided()
            self._decide()

    def _announce_first_call(self) -> None:
        if self._earlier is not None and self._books.lifecycle.phase == "fuzzing":
            seconds = round(trio.current_time() - self._earlier.began, 3)
            self._books.log.append(CAMPAIGN, FuzzingResumed(seconds, self._loaded))
            self._earlier = None
