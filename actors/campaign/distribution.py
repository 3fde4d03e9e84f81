"""Distribution of work: idle workers get, in this order, a sequence that may have killed another, sequences to replay,
a failing sequence to shrink, a piece of the shared budget to fuzz.

Shrinking does not keep an only worker from fuzzing: after some attempts it fuzzes for a while, and continues with the
rest when fuzzing is over. How much of each is counted in calls, so that it does not follow the clock.

A worker that fuzzes gets its next piece ahead, so that it does not wait for one: an answer from another machine takes
as long as thousands of calls. That ends where something else wants a worker, and where few calls are left, which are
to be shared evenly. An only worker gets none: nothing but its own course decides what it does next.

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
STRETCHED_FROM, MAX_STRETCH = 32, 2.0
"""Workers up to which pieces have their usual length, and how much longer they get."""


def owed_calls(executed: int) -> int:
    """Calls to fuzz after some attempts to shrink that executed so many calls."""
    return max(MIN_OWED_CALLS, OWED_FOR_EACH * executed)


def stretch(workers: int) -> float:
    """Factor of the length of pieces: the supervisor pays for each, and many workers end many. Twice
    the usual length, with one piece ahead, still brings a sequence to all of them in under two seconds."""
    return min(MAX_STRETCH, max(1.0, workers / STRETCHED_FROM))


class WorkDistribution:
    """Hands out the work of a campaign, as far as its lifecycle allows."""

    def __init__(self, books: CampaignBooks) -> None:
        self._books = books

    def give_out(self) -> None:
        """Give work to every idle worker, as far as there is any."""
        if self._books.lifecycle.gives_out_work:
            wanting = [slot for slot in self._books.pool.slots if slot.ahead is None]  # few of many
            for slot in wanting:
                if slot.idle:
                    self._give_to(slot)
            busy = [slot for slot in wanting if slot.takes_ahead]
            if busy and self._plans_ahead():
                for slot in busy:
                    self._give_ahead(slot)

    def pass_milestones(self, slot: Slot) -> None:
        """Do what is due after the piece of fuzzing that has just ended."""
        recycle = self._books.services.limits.recycle
        if recycle and slot.fuzzed >= recycle:
            if slot.idle:  # else the piece that it has already comes first
                self._recycle(slot)
        elif slot.passed(REVIEW_CALLS) and self._books.services.priorities.review():
            self._books.steering.send_focus()

    def _recycle(self, slot: Slot) -> None:
        reason = f"worker {slot.index} is recycled after {slot.fuzzed} calls"
        slot.recycle()
        self._books.log.append(slot.index, WorkerRestarting(reason, 0.0))

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
                self._give_piece(slot, self._piece_calls(slot))
        elif not (self._is_in_debt(slot) and self._give_piece(slot, slot.owed)):
            self._shrink_or_fuzz(slot)

    def _is_in_debt(self, slot: Slot) -> bool:
        return slot.owed > 0 and self._books.findings.tests.has_shrink_for(slot.index)

    def _shrink_or_fuzz(self, slot: Slot) -> None:
        shrink = self._books.findings.tests.next_shrink(ATTEMPTS_BESIDE_FUZZING, slot.index)
        if shrink is not None:
            slot.assign(shrink)
        else:
            self._give_piece(slot, self._piece_calls(slot))

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

    def _piece_calls(self, slot: Slot) -> int:
        return int(slot.piece.calls * stretch(self._books.pool.size))

    def _until_milestone(self, slot: Slot) -> int:
        recycle = self._books.services.limits.recycle
        review = slot.until(REVIEW_CALLS)
        return min(review, max(1, recycle - slot.fuzzed)) if recycle else review

    def _plans_ahead(self) -> bool:
        """Nothing is known that other work than fuzzing is wanted for, or that fuzzing stops at, shrinking excepted."""
        books = self._books
        return (
            books.pool.size > 1
            and not books.lifecycle.is_draining
            and not books.lifecycle.only_replays
            and not books.services.quarantine.has_trials
            and books.stops.left(books.budget.used, books.budget.reserved) is None
        )

    def _give_ahead(self, slot: Slot) -> None:
        """The piece after the current one, unless the process is recycled before that. Reviews are due wherever a piece
        has passed their place: several workers do not end one there at the same moment anyway."""
        budget, size = self._books.budget, self._books.pool.size
        recycle = self._books.services.limits.recycle
        if recycle and slot.planned >= recycle:
            return
        calls = self._piece_calls(slot)
        wanted = min(calls, recycle - slot.planned) if recycle else calls
        if budget.free is not None and budget.free < wanted * size:
            return
        if not self._books.findings.tests.has_shrink_for(slot.index) and budget.take(slot.index, wanted, size):
            slot.assign_ahead(Fuzz(wanted, ahead=True))
