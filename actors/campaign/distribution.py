"""Distribution of work: idle workers get, in this order, a sequence that may have killed another, sequences to replay,
a failing sequence to shrink, a piece of the shared budget to fuzz.

Shrinking does not keep an only worker from fuzzing: after some attempts it fuzzes for a while, and continues with the
rest when fuzzing is over. How much of each is counted in calls, so that it does not follow the clock.

Pieces end at milestones of a worker's calls (a review of the priorities, recycling), so what is done there follows
calls and not the clock. Works for the campaign actor, which alone calls it.
"""

from __future__ import annotations

from actors.campaign.books import CampaignBooks
from actors.campaign.slot import Slot
from actors.events.types import WorkerRestarting
from actors.priorities.manager import REVIEW_CALLS
from simulator.worker.commands import Fuzz, Replay

ATTEMPTS_BESIDE_FUZZING = 250
MIN_OWED_CALLS = 20_000
OWED_FOR_EACH = 2


def owed_calls(executed: int) -> int:
    """Calls to fuzz after some attempts to shrink that executed so many calls."""
    return max(MIN_OWED_CALLS, OWED_FOR_EACH * executed)


class WorkDistribution:
    """Hands out the work of a campaign, as far as its lifecycle allows."""

    def __init__(self, books: CampaignBooks) -> None:
        self._books = books

    def give_out(self) -> None:
        """Give work to every idle worker, as far as there is any."""
        if self._books.lifecycle.gives_out_work:
            for slot in self._books.pool.slots:
                if slot.idle:
                    self._give_to(slot)

    def pass_milestones(self, slot: Slot) -> None:
        """Do what is due after the piece of fuzzing that has just ended."""
        recycle = self._books.services.limits.recycle
        if recycle and slot.fuzzed >= recycle:
            slot.recycle()
            reason = f"worker {slot.index} is recycled after {slot.fuzzed} calls"
            self._books.log.append(slot.index, WorkerRestarting(reason, 0.0))
        elif slot.passed(REVIEW_CALLS) and self._books.services.priorities.review():
            self._books.steering.send_focus()

    def _give_to(self, slot: Slot) -> None:
        is_measured, admits = self._books.services.keeper.is_measured, self._books.services.quarantine.admits
        if (trial := self._books.services.quarantine.next_trial()) is not None:
            slot.assign(Replay((trial,)))
        elif (replay := slot.next_replay(is_measured, admits)) is not None:
            self._books.lifecycle.enter("replaying corpus")
            slot.assign(replay)
        elif self._books.lifecycle.is_draining or self._books.lifecycle.only_replays:
            self._let_shrink(slot)
        elif self._books.pool.size > 1:  # the others fuzz meanwhile
            if (shrink := self._books.findings.tests.next_shrink()) is not None:
                slot.assign(shrink)
            else:
                self._give_piece(slot, slot.piece.calls)
        elif not (self._is_in_debt(slot) and self._give_piece(slot, slot.owed)):
            self._shrink_or_fuzz(slot)

    def _is_in_debt(self, slot: Slot) -> bool:
        return slot.owed > 0 and self._books.findings.tests.has_shrink_for(slot.index)

    def _shrink_or_fuzz(self, slot: Slot) -> None:
        shrink = self._books.findings.tests.next_shrink(ATTEMPTS_BESIDE_FUZZING, slot.index)
        if shrink is not None:
            slot.assign(shrink)
        else:
            self._give_piece(slot, slot.piece.calls)

    def _let_shrink(self, slot: Slot) -> None:
        """There is nothing to fuzz, or not yet."""
        if (shrink := self._books.findings.tests.next_shrink()) is not None:
            slot.assign(shrink)
        elif self._books.lifecycle.is_draining:
            self._let_help(slot)

    def _let_help(self, slot: Slot) -> None:
        """Fuzzing is over: an idle worker shrinks what others shrink, in another order."""
        if (shrink := self._books.findings.tests.next_help()) is not None:
            slot.assign(shrink)

    def _give_piece(self, slot: Slot, calls: int) -> bool:
        """A piece of about so many calls; False when there is none."""
        wanted = min(calls, self._until_milestone(slot))
        left = self._books.stops.left(self._books.budget.used, self._books.budget.reserved)
        wanted = wanted if left is None else min(wanted, left)
        if wanted > 0 and (piece := self._books.budget.take(slot.index, wanted, self._books.pool.size)) > 0:
            self._books.lifecycle.enter("fuzzing")
            slot.assign(Fuzz(piece))
            return True
        return False

    def _until_milestone(self, slot: Slot) -> int:
        recycle = self._books.services.limits.recycle
        review = slot.until(REVIEW_CALLS)
        return min(review, max(1, recycle - slot.fuzzed)) if recycle else review
