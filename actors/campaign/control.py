"""Answers to steering commands: each at once, or by a task of its own where the answer takes longer.

Called by the campaign actor alone, in the order in which commands arrive. `actors.steering` answers commands that
concern what workers execute; this module changes limits, workers, corpus and reports.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar, assert_never

import msgspec

from actors.campaign import snapshots
from actors.campaign.books import CampaignBooks
from actors.campaign.messages import ClockRang
from actors.campaign.plan import Dump
from actors.campaign.worker_steering import WorkerCommand
from actors.events.types import CAMPAIGN, CorpusFileSkipped, Steered, StopReason, Warned
from actors.runtime.errors import ActorError, CampaignEnding, CommandRejected, MailboxClosed
from actors.runtime.mailbox import Ask, Reply
from actors.steering.commands import (
    AnyCommand,
    Changed,
    DumpReports,
    ExecuteSequence,
    Limits,
    ListTemplates,
    Pause,
    ReloadCorpus,
    Reloaded,
    Reopened,
    ResetTests,
    Resume,
    SetLimits,
    SetWorkers,
    Stop,
    WorkerCount,
)
from actors.steering.effects import Effect, WatchedAsk
from simulator.worker.commands import Fuzz

Limit = TypeVar("Limit")
MAX_SECONDS = 10 * 365 * 86_400
MAX_CALLS = 2**63 - 1


class CampaignControl:
    """Changes the campaign's books as its users command. `dump` writes reports of the campaign's current state."""

    def __init__(self, books: CampaignBooks, dump: Dump | None) -> None:
        self._books = books
        self._dump_reports = dump
        self._under_way: set[type] = set()

    async def answer(self, message: Ask[AnyCommand, object]) -> None:
        """Carry out a command and answer it. Never raises an `ActorError`."""
        command, reply = message.message, message.reply
        try:
            if self._is_too_late(command):
                raise CampaignEnding("the campaign is ending")
            match command:
                case ExecuteSequence():
                    self._books.steering.execute(command, reply)
                case ReloadCorpus() | DumpReports():
                    self._begin_later(command, reply)
                case Pause() | Resume() | Stop() | SetLimits() | ResetTests() | SetWorkers():
                    reply.set(await self._control(command))
                case _:
                    reply.set(self._books.steering.answer(command))
            if isinstance(message, WatchedAsk):
                self._watch(command, message.effect)
        except ActorError as error:
            reply.fail(error)

    def _watch(self, command: AnyCommand, effect: Effect) -> None:
        if isinstance(command, Stop):
            self._books.steering.effects.watch_end(effect)
        elif isinstance(command, WorkerCommand):
            self._books.steering.effects.watch(effect, [slot.index for slot in self._books.pool.live])
        else:
            self._books.steering.effects.settle_now(effect)

    def _is_too_late(self, command: AnyCommand) -> bool:
        late = isinstance(command, ListTemplates | ExecuteSequence | Stop)
        return self._books.lifecycle.is_halted or not (late or self._books.lifecycle.takes_commands)

    async def _control(self, command: Pause | Resume | Stop | SetLimits | ResetTests | SetWorkers) -> object:
        match command:
            case Pause():
                return Changed(self._books.lifecycle.pause())
            case Resume():
                return Changed(self._books.lifecycle.resume())
            case Stop():
                self._say("stop", "")
                self._books.lifecycle.halt(StopReason.REQUESTED)
                return Changed(True)
            case SetLimits():
                return await self._set_limits(command)
            case ResetTests(tests=tests):
                return self._reset_tests(tests)
            case SetWorkers(workers=count):
                before = self._books.pool.resize(count, self._books.tasks)
                self._say("workers", f"{before} to {count}")
                return WorkerCount(count, before)
            case _:
                assert_never(command)

    async def _set_limits(self, command: SetLimits) -> Limits:
        limits = changed_limits(self._books.limits(), command)
        if limits.call_limit is not None and limits.call_limit < self._books.budget.used + self._books.budget.reserved:
            self._books.lifecycle.interrupt(Fuzz)
        self._books.budget.change_limit(limits.call_limit)
        self._books.clock.time_limit, self._books.clock.coverage_limit = limits.time_limit, limits.coverage_limit
        self._books.clock.rearm()
        await self._books.findings.change_limit(limits.shrink_limit)
        self._say("limits", str(limits))
        self._go_on()
        return limits

    def _reset_tests(self, tests: tuple[int, ...]) -> Reopened:
        table = self._books.findings.tests
        for test in tests:
            if test not in table or not table[test].is_test:
                raise CommandRejected(f"{test} is no test of this campaign")
        changed = table.reset(tests or tuple(range(len(table.records))))
        if changed:
            for slot in self._books.pool.live:
                slot.is_outdated = True
                slot.interrupt()
            self._books.lifecycle.recycle_outdated()
        self._say("reset tests", ", ".join(table[test].info.name for test in changed)[:1_000])
        self._go_on()
        return Reopened(changed)

    def _go_on(self) -> None:
        """Fuzz again where what had ended it no longer holds."""
        books, tests = self._books, self._books.findings.tests
        is_stopped_by_findings = not tests.can_be_decided or (books.plan.stop_on_fail and tests.any_falsified)
        if is_stopped_by_findings or books.budget.exhausted or books.clock.is_used_up:
            return
        if books.lifecycle.is_draining and books.lifecycle.reason is not StopReason.NOTHING_TO_CALL:
            books.lifecycle.fuzz_again()

    def _begin_later(self, command: ReloadCorpus | DumpReports, reply: Reply[object]) -> None:
        """Begin one of each kind at a time: it may take far longer than its asker waits. Raises `CommandRejected`."""
        if type(command) in self._under_way:
            raise CommandRejected("the same is under way already; try again")
        self._under_way.add(type(command))
        self._spawn(self._answer_later, command, reply)

    async def _answer_later(self, command: ReloadCorpus | DumpReports, reply: Reply[object]) -> None:
        try:
            reply.set(await self._reload() if isinstance(command, ReloadCorpus) else await self._dump())
        except MailboxClosed:
            reply.fail(CampaignEnding("the campaign is ending"))
        except ActorError as error:
            reply.fail(error)
        finally:
            self._under_way.discard(type(command))
            # Where the campaign ends meanwhile and this task with it.
            reply.fail(CampaignEnding("the campaign has ended"))

    async def _reload(self) -> Reloaded:
        cursor = self._books.services.keeper.entries.cursor
        problems = await self._books.services.keeper.load()
        fresh = self._books.services.keeper.entries.since(cursor)
        for problem in problems:
            self._books.log.append(CAMPAIGN, CorpusFileSkipped(problem))
        for slot in self._books.pool.live if self._books.lifecycle.takes_commands else ():
            slot.replay_too(fresh, self._books.services.quarantine)
        self._say("reload corpus", f"{len(fresh)} sequences")
        # Wakes the actor, so that workers that idle take up what is to be replayed.
        await self._books.mailbox.send(ClockRang())
        return Reloaded(len(fresh), problems)

    async def _dump(self) -> tuple[str, ...]:
        if self._dump_reports is None:
            raise CommandRejected("there is no folder for reports")
        files = tuple(await self._dump_reports(snapshots.end(self._books)))
        self._say("dump reports", ", ".join(files))
        return files

    async def report(self) -> None:
        """Write the reports of an idle campaign if it has a folder for them: it may never be stopped in order."""
        if self._dump_reports is None or DumpReports in self._under_way:
            return
        self._under_way.add(DumpReports)
        try:
            await self._dump_reports(snapshots.end(self._books))
        except CommandRejected:
            pass
        except ActorError as error:
            self._books.log.append(CAMPAIGN, Warned(str(error)))
        finally:
            self._under_way.discard(DumpReports)

    def _spawn(self, function: Callable[..., Awaitable[None]], *arguments: object) -> None:
        self._books.tasks.start_soon(function, *arguments)

    def _say(self, command: str, detail: str) -> None:
        self._books.log.append(CAMPAIGN, Steered(command, detail))


def changed_limits(present: Limits, command: SetLimits) -> Limits:
    """The present limits with those that the command sets. Raises `CommandRejected` for what is out of range."""
    limits = Limits(
        _or_present(command.call_limit, present.call_limit),
        _or_present(command.time_limit, present.time_limit),
        _or_present(command.coverage_limit, present.coverage_limit),
        _or_present(command.shrink_limit, present.shrink_limit),
    )
    for name, value, most in (
        ("the limit of calls", limits.call_limit, MAX_CALLS),
        ("the time limit", limits.time_limit, MAX_SECONDS),
        ("the time without new coverage", limits.coverage_limit, MAX_SECONDS),
        ("the shrink limit", limits.shrink_limit, MAX_CALLS),
    ):
        if value is not None and not 0 <= value <= most:
            raise CommandRejected(f"{name} is 0 to {most}, not {value:g}")
    return limits


def _or_present(new: Limit | msgspec.UnsetType, present: Limit) -> Limit:
    return present if isinstance(new, msgspec.UnsetType) else new
