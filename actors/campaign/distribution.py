"""Distribution of work: idle workers get, in this order, a sequence that may have killed another, sequences to replay,
a failing sequence to shrink, a piece of the shared budget to fuzz.

Pieces end at milestones of a worker's calls (a review of the priorities, recycling), so what is done there follows
calls and not the clock. Works for the campaign actor, which alone calls it.
"""

from __future__ import annotations

from actors.campaign.books import CampaignBooks
from actors.campaign.slot import Slot
from actors.events.types import WorkerRestarting
from actors.priorities.manager import REVIEW_CALLS
from simulator.worker.commands import Fuzz, Replay


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
        elif (shrink := self._books.findings.tests.next_shrink()) is not None:
            slot.assign(shrink)
        elif self._books.lifecycle.is_draining:
            self._let_help(slot)
        elif not self._books.lifecycle.only_replays:
            self._give_piece(slot)

    def _let_help(self, slot: Slot) -> None:
        """Fuzzing is over: whoever has nothing to do shrinks what others shrink, in another order."""
        if (shrink := self._books.findings.tests.next_help()) is not None:
            slot.assign(shrink)

    def _give_piece(self, slot: Slot) -> None:
        wanted = min(slot.piece.calls, self._until_milestone(slot))
        left = self._books.stops.left(self._books.budget.used, self._books.budget.reserved)
        wanted = wanted if left is None else min(wanted, left)
        if wanted > 0 and (piece := self._books.budget.take(slot.index, wanted, self._books.pool.size)) > 0:
            self._books.lifecycle.enter("fuzzing")
            slot.assign(Fuzz(piece))

    def _until_milestone(self, slot: Slot) -> int:
        recycle = self._books.services.limits.recycle
        review = slot.until(REVIEW_CALLS)
        return min(review, max(1, recycle - slot.fuzzed)) if recycle else review
