"""What the campaign does when a worker's process is gone: its calls are booked, its work goes back, a sequence that
keeps killing is blamed, and a campaign that cannot go on ends.

Works for the campaign actor, which alone calls it.
"""

from __future__ import annotations

from actors.budget import Budget
from actors.campaign_course import CampaignCourse
from actors.crew import Crew
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
from actors.steering_desk import SteeringDesk
from actors.worker_services import WorkerServices
from simulator.worker.protocol import Replay, Shrink


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

    async def down(self, report: WorkerDown) -> None:
        """A process failed and is going to be replaced."""
        self._log.append(report.worker, WorkerRestarting(report.reason, report.delay))
        await self._lose_process(self._crew.slots[report.worker], report.calls)

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
            await self._lose_process(slot, slot.worker.calls_of_work)
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

    async def _lose_process(self, slot: Slot, calls: int) -> None:
        """Take back the work of a process that failed, and find out whether a sequence is to blame."""
        work = slot.lose_process(calls, self._budget)
        in_hand = self._desk.lose(slot.index)
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
            self._findings.tests.drop_shrink(work.test)
