"""Answers to steering commands: each at once, or by a task of its own where the answer takes longer.

Works for the campaign actor, which alone calls it, in the order in which commands arrive. What concerns workers is the
steering desk's; limits, workers, corpus and reports are changed here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import assert_never

import trio

from actors.budget import Budget
from actors.campaign_clock import CampaignClock
from actors.campaign_course import CampaignCourse
from actors.campaign_plan import CampaignPorts
from actors.campaign_status import CampaignEnd
from actors.crew import Crew
from actors.errors import ActorError, CampaignEnding, CommandRejected, MailboxClosed
from actors.findings import Findings
from actors.mailbox import Ask, Reply
from actors.messages import CAMPAIGN, ClockRang, CorpusFileSkipped, Steered, StopReason, Warned
from actors.steering import (
    AnyCommand,
    Changed,
    DumpReports,
    ExecuteSequence,
    Limits,
    ListTemplates,
    Pause,
    ReloadCorpus,
    Reloaded,
    Resume,
    SetLimits,
    SetWorkers,
    Stop,
    WorkerCount,
)
from actors.steering_desk import DeskCommand, SteeringDesk
from actors.steering_effects import Effect, WatchedAsk
from actors.steering_limits import changed_limits
from actors.worker_services import WorkerServices
from simulator.transaction import Sequence
from simulator.worker.protocol import Fuzz


class CampaignControl:
    """Holds what commands change. `interim` is the campaign as if it ended at this moment."""

    def __init__(
        self,
        course: CampaignCourse,
        interim: Callable[[], CampaignEnd],
        crew: Crew,
        budget: Budget,
        clock: CampaignClock,
        findings: Findings,
        services: WorkerServices,
        ports: CampaignPorts,
    ) -> None:
        self._course = course
        self._interim = interim
        self._crew = crew
        self._budget = budget
        self._clock = clock
        self._findings = findings
        self._services = services
        self._dump_reports = ports.dump
        self._tasks: trio.Nursery | None = None
        self.desk = SteeringDesk(
            ports.reader, services.priorities, services.log, lambda: crew.slots, self._keep_injected, self._calls
        )

    def _calls(self) -> int:
        return self._budget.used + sum(slot.fuzz_calls for slot in self._crew.slots)

    def limits(self) -> Limits:
        """Those that hold."""
        clock = self._clock
        return Limits(self._budget.limit, clock.time_limit, clock.coverage_limit, self._findings.tests.limit)

    async def answer(self, message: Ask[AnyCommand, object], tasks: trio.Nursery | None) -> None:
        """Carry out a command and answer it; `tasks` are those of the campaign. Never raises an `ActorError`."""
        self._tasks = tasks
        command, reply = message.message, message.reply
        try:
            if self._is_too_late(command):
                raise CampaignEnding("the campaign is ending")
            match command:
                case ExecuteSequence():
                    self.desk.execute(command, reply)
                case ReloadCorpus() | DumpReports():
                    self._spawn(self._answer_later, command, reply)
                case Pause() | Resume() | Stop() | SetLimits() | SetWorkers():
                    reply.set(await self._control(command))
                case _:
                    reply.set(self.desk.answer(command))
            if isinstance(message, WatchedAsk):
                self._watch(command, message.effect)
        except ActorError as error:
            reply.fail(error)

    def _watch(self, command: AnyCommand, effect: Effect) -> None:
        if isinstance(command, Stop):
            self.desk.effects.watch_end(effect)
        elif isinstance(command, DeskCommand):
            self.desk.effects.watch(effect, [slot.index for slot in self._crew.live])
        else:
            effect.settle(self._calls())

    def _is_too_late(self, command: AnyCommand) -> bool:
        late = isinstance(command, ListTemplates | ExecuteSequence | Stop)
        return self._course.is_halted or (self._course.is_draining and not late)

    async def _control(self, command: Pause | Resume | Stop | SetLimits | SetWorkers) -> object:
        match command:
            case Pause():
                return Changed(self._course.pause())
            case Resume():
                return Changed(self._course.resume())
            case Stop():
                self._say("stop", "")
                self._course.halt(StopReason.REQUESTED)
                return Changed(True)
            case SetLimits():
                return await self._set_limits(command)
            case SetWorkers(workers=count):
                assert self._tasks is not None, "commands are handled while the campaign runs"
                before = self._crew.resize(count, self._tasks)
                self._say("workers", f"{before} to {count}")
                return WorkerCount(count, before)
            case _:
                assert_never(command)

    async def _set_limits(self, command: SetLimits) -> Limits:
        limits = changed_limits(self.limits(), command)
        if limits.call_limit is not None and limits.call_limit < self._budget.used + self._budget.reserved:
            self._course.interrupt(Fuzz)
        self._budget.change_limit(limits.call_limit)
        self._clock.time_limit, self._clock.coverage_limit = limits.time_limit, limits.coverage_limit
        self._clock.rearm()
        await self._findings.change_limit(limits.shrink_limit)
        self._say("limits", str(limits))
        return limits

    async def _answer_later(self, command: ReloadCorpus | DumpReports, reply: Reply[object]) -> None:
        try:
            reply.set(await self._reload() if isinstance(command, ReloadCorpus) else await self._dump())
        except MailboxClosed:
            reply.fail(CampaignEnding("the campaign is ending"))
        except ActorError as error:
            reply.fail(error)
        finally:
            # Where the campaign ends meanwhile and this task with it.
            reply.fail(CampaignEnding("the campaign has ended"))

    async def _reload(self) -> Reloaded:
        cursor = self._services.keeper.entries.cursor
        problems = await self._services.keeper.load()
        fresh = self._services.keeper.entries.since(cursor)
        for problem in problems:
            self._services.log.append(CAMPAIGN, CorpusFileSkipped(problem))
        for slot in () if self._course.is_draining else self._crew.live:
            slot.replay_too(fresh, self._services.quarantine)
        self._say("reload corpus", f"{len(fresh)} sequences")
        # Wakes the actor, so that workers that idle take up what is to be replayed.
        await self._services.campaign.send(ClockRang())
        return Reloaded(len(fresh), problems)

    async def _dump(self) -> tuple[str, ...]:
        if self._dump_reports is None:
            raise CommandRejected("there is no folder for reports")
        files = tuple(await self._dump_reports(self._interim()))
        self._say("dump reports", ", ".join(files))
        return files

    def _keep_injected(self, sequence: Sequence) -> None:
        async def keep() -> None:
            try:
                (kept,) = await self._services.keeper.keep_injected((sequence,))
            except MailboxClosed:
                return
            if kept.problem is not None:
                self._services.log.append(CAMPAIGN, Warned(kept.problem))

        self._spawn(keep)

    def _spawn(self, function: Callable[..., Awaitable[None]], *arguments: object) -> None:
        assert self._tasks is not None, "commands are handled while the campaign runs"
        self._tasks.start_soon(function, *arguments)

    def _say(self, command: str, detail: str) -> None:
        self._services.log.append(CAMPAIGN, Steered(command, detail))
