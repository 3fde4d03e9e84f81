"""Who works on what: idle workers get, in this order, a sequence that may have killed another, sequences to replay, a
failing sequence to shrink, a piece of the shared budget to fuzz.

Pieces end at milestones of a worker's calls (a review of the priorities, recycling), so what is done there follows
calls and not the clock. Works for the campaign actor, which alone calls it.
"""

from __future__ import annotations

from actors.budget import Budget
from actors.call_stops import CallStops
from actors.campaign_course import CampaignCourse
from actors.crew import Crew
from actors.messages import WorkerRestarting
from actors.priority_manager import REVIEW_CALLS
from actors.slot import Slot
from actors.steering_desk import SteeringDesk
from actors.test_table import TestTable
from actors.worker_services import WorkerServices
from simulator.worker.protocol import Fuzz, Replay


class WorkDistribution:
    """Hands out the work of a campaign, as far as its course allows."""

    def __init__(
        self,
        course: CampaignCourse,
        crew: Crew,
        budget: Budget,
        tests: TestTable,
        services: WorkerServices,
        desk: SteeringDesk,
        stops: CallStops,
    ) -> None:
        self._course = course
        self._crew = crew
        self._budget = budget
        self._tests = tests
        self._services = services
        self._desk = desk
        self._stops = stops

    def give_out(self) -> None:
        """Give work to every idle worker, as far as there is any."""
        if self._course.gives_out_work:
            for slot in self._crew.slots:
                if slot.idle:
                    self._give_to(slot)

    def pass_milestones(self, slot: Slot) -> None:
        """Do what is due after the piece of fuzzing that has just ended."""
        recycle = self._services.limits.recycle
        if recycle and slot.fuzzed >= recycle:
            slot.recycle()
            reason = f"worker {slot.index} is recycled after {slot.fuzzed} calls"
            self._services.log.append(slot.index, WorkerRestarting(reason, 0.0))
        elif slot.passed(REVIEW_CALLS) and self._services.priorities.review():
            self._desk.tell_focus()

    def _give_to(self, slot: Slot) -> None:
        is_measured, admits = self._services.keeper.is_measured, self._services.quarantine.admits
        if (trial := self._services.quarantine.next_trial()) is not None:
            slot.assign(Replay((trial,)))
        elif (replay := slot.next_replay(is_measured, admits)) is not None:
            self._course.enter("replaying corpus")
            slot.assign(replay)
        elif (shrink := self._tests.next_shrink()) is not None:
            slot.assign(shrink)
        elif not self._course.is_draining and not self._course.only_replays:
            self._give_piece(slot)

    def _give_piece(self, slot: Slot) -> None:
        wanted = min(slot.piece.calls, self._until_milestone(slot))
        left = self._stops.left(self._budget.used, self._budget.reserved)
        wanted = wanted if left is None else min(wanted, left)
        if wanted > 0 and (piece := self._budget.take(slot.index, wanted, self._crew.size)) > 0:
            self._course.enter("fuzzing")
            slot.assign(Fuzz(piece))

    def _until_milestone(self, slot: Slot) -> int:
        recycle = self._services.limits.recycle
        review = slot.until(REVIEW_CALLS)
        return min(review, max(1, recycle - slot.fuzzed)) if recycle else review
