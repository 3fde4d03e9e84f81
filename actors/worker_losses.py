"""What the campaign does when a worker's process is gone: its calls are booked, its work goes back, a sequence that
keeps killing is blamed, and a campaign that cannot go on ends.

Works for the campaign actor, which alone calls it.
"""

from __future__ import annotations

from actors.budget import Budget
from actors.campaign_course import CampaignCourse
from actors.crew import Crew
from actors.deadly_functions import DeadlyFunctions
from actors.errors import CommandRejected
from actors.findings import Findings
from actors.frame_router import CHAIN_CODE
from actors.messages import (
    CAMPAIGN,
    StopReason,
    Warned,
    WorkerDown,
    WorkerEnded,
    WorkerRestarting,
    WorkerStopped,
)
from actors.slot import Slot, Work
from actors.steering import ExcludeFunction
from actors.steering_desk import SteeringDesk
from actors.worker_services import WorkerServices
from simulator.transaction import Sequence
from simulator.worker.protocol import Replay, Shrink

MOST_FORGIVEN = 64
"""Quarantined sequences up to which deaths that have been explained do not count for the restart intensity."""


class WorkerLosses:
    """Acts on processes that ended: those that are replaced, and those that are not."""

    def __init__(
        self,
        course: CampaignCourse,
        crew: Crew,
        budget: Budget,
        findings: Findings,
        services: WorkerServices,
        desk: SteeringDesk,
    ) -> None:
        self._course = course
        self._crew = crew
        self._budget = budget
        self._findings = findings
        self._log = services.log
        self._quarantine = services.quarantine
        self._desk = desk
        self._deadly = DeadlyFunctions(services.tracker)

    async def down(self, report: WorkerDown) -> None:
        """A process failed and is going to be replaced."""
        self._log.append(report.worker, WorkerRestarting(report.reason, report.delay))
        await self._lose_process(self._crew.slots[report.worker], report.calls, report.executed, report.reason)

    async def ended(self, report: WorkerEnded, *, was_ready: bool) -> None:
        """A worker has ended for good; `was_ready` when any worker has ever deployed the target."""
        slot = self._crew.slots[report.worker]
        slot.ended = True
        chain_lost = report.refusal == CHAIN_CODE and was_ready
        refused = report.refusal is not None and not chain_lost
        reason = "refused the target" if refused else report.failure or "as told"
        self._log.append(report.worker, WorkerStopped(reason))
        if report.failure is None:
            self._take_back(slot.end_process(slot.worker.calls_of_work, self._budget))
            self._desk.lose(slot.index)
        else:
            await self._lose_process(slot, slot.worker.calls_of_work, report.executed, report.failure)
        self._end_campaign(report, chain_lost=chain_lost, refused=refused)

    def _end_campaign(self, report: WorkerEnded, *, chain_lost: bool, refused: bool) -> None:
        course = self._course
        if chain_lost:
            # The others read the same chain, and everything found so far is worth a report.
            course.failure = report.failure
            self._log.append(CAMPAIGN, Warned(f"the campaign ends: {report.failure}"))
            course.halt(StopReason.CHAIN_LOST)
        elif refused:
            course.refusal, course.failure = report.refusal, report.failure
            course.halt(StopReason.REFUSED)
        elif not course.is_draining and self._crew.all_ended:
            course.failure = report.failure
            course.halt(StopReason.NO_WORKERS)

    async def _lose_process(self, slot: Slot, calls: int, executed: Sequence, failure: str) -> None:
        """Take back the work of a process that failed, and find out whether a sequence is to blame. `executed` is
        part of what it had been given, or of its own making; empty, it may have been anything that it had in hand."""
        work = slot.lose_process(calls, self._budget)
        given = self._desk.lose(slot.index)
        self._take_back(work)
        replayed = work.sequences if isinstance(work, Replay) else ()
        if executed and _starting_with(executed, (*given, *replayed)):
            given, replayed = _starting_with(executed, given), _starting_with(executed, replayed)
        elif executed:
            given = ()  # What it was given to execute has nothing to do with it.
            await self._blame_own(slot.index, executed, failure, work)
        if isinstance(work, Shrink) and self._quarantine.blame(work.sequence):
            await self._findings.give_up(work.test)
        if len(replayed) == 1:
            given += replayed
        else:
            self._quarantine.suspect(replayed)
        for sequence in given:
            await self._blame(slot.index, sequence, failure)

    async def _blame_own(self, worker: int, executed: Sequence, failure: str, work: Work | None) -> None:
        """The sequence is of the worker's own making, so nobody will make it again: it is tried alone."""
        if isinstance(work, Shrink) and _starting_with(executed, (work.sequence,)):
            return
        if not await self._blame(worker, executed, failure):
            self._quarantine.try_again(executed)

    async def _blame(self, worker: int, sequence: Sequence, failure: str) -> bool:
        """A worker died of this sequence. Returns whether it is quarantined by that."""
        if not self._quarantine.blame(sequence):
            return False
        await self._findings.crash(worker, sequence, failure)
        if self._quarantine.statistics().quarantined <= MOST_FORGIVEN:
            for slot in self._crew.slots:
                slot.worker.forgive()
        if (name := self._deadly.blame(sequence)) is not None:
            self._leave_out(name)
        return True

    def _leave_out(self, name: str) -> None:
        try:
            self._desk.answer(ExcludeFunction(name))
        except CommandRejected:
            return
        self._log.append(CAMPAIGN, Warned(f"{name}: workers keep dying of its calls, so it is called no more"))

    def _take_back(self, work: Work | None) -> None:
        if isinstance(work, Shrink):
            self._findings.tests.drop_shrink(work.test)


def _starting_with(beginning: Sequence, sequences: tuple[Sequence, ...]) -> tuple[Sequence, ...]:
    return tuple(sequence for sequence in sequences if sequence[: len(beginning)] == beginning)
