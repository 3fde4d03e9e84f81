"""Handling of a dead worker process: its calls are booked, its work is returned, a sequence that
keeps killing is blamed, and a campaign that cannot continue ends.

Works for the campaign actor, which alone calls it.
"""

from __future__ import annotations

from collections import Counter

from actors.campaign.books import CampaignBooks
from actors.campaign.slot import Slot, Work
from actors.coverage.tracker import CoverageTracker
from actors.events.types import CAMPAIGN, StopReason, Warned, WorkerRestarting, WorkerStopped
from actors.runtime.errors import CommandRejected
from actors.steering.commands import ExcludeFunction
from actors.workers.reports import WorkerDown, WorkerEnded
from actors.workers.router import CHAIN_CODE
from simulator.transaction import Sequence
from simulator.worker.commands import Replay, Shrink

MAX_FORGIVEN = 64
"""Quarantined sequences up to which deaths that have been explained do not count for the restart intensity."""

CRASHING_SEQUENCES = 2
"""Sequences that kill workers before the function of their last call is excluded. Otherwise a campaign would spend its
restarts on variants of the same death."""


class CrashingFunctions:
    """Functions that kill workers whatever their arguments. `tracker` names the function of a call."""

    def __init__(self, tracker: CoverageTracker) -> None:
        self._tracker = tracker
        self._counts: Counter[str] = Counter()

    def blame(self, sequence: Sequence) -> str | None:
        """Count a death by the last call of this sequence. Returns the function (`Contract.signature`) to exclude, None
        while the evidence is too thin."""
        info = self._tracker.function_of(sequence[-1])
        if info is None:
            return None
        name = f"{info.contract}.{info.signature}"
        self._counts[name] += 1
        return name if self._counts[name] >= CRASHING_SEQUENCES else None


class WorkerLosses:
    """Acts on processes that ended: those that are replaced, and those that are not."""

    def __init__(self, books: CampaignBooks) -> None:
        self._books = books
        self._crashing = CrashingFunctions(books.services.tracker)
        books.pool.excuses = self.is_trial

    async def down(self, report: WorkerDown) -> None:
        """A process failed and is going to be replaced."""
        self._books.log.append(report.worker, WorkerRestarting(report.reason, report.delay))
        slot = self._books.pool.slots[report.worker]
        if report.cut_off:
            self._lose_machine(slot, report.calls)
        else:
            await self._lose_process(slot, report.calls, report.executed, report.reason)

    async def ended(self, report: WorkerEnded, *, was_ready: bool) -> None:
        """A worker has ended for good; `was_ready` when any worker has ever deployed the target."""
        slot = self._books.pool.slots[report.worker]
        slot.ended = True
        chain_lost = report.refusal == CHAIN_CODE and was_ready
        refused = report.refusal is not None and not chain_lost
        reason = "refused the target" if refused else report.failure or "as told"
        self._books.log.append(report.worker, WorkerStopped(reason))
        if report.failure is None:
            self._take_back(slot.end_process(slot.worker.calls_of_work, self._books.budget))
            self._books.steering.lose(slot.index)
        else:
            await self._lose_process(slot, slot.worker.calls_of_work, report.executed, report.failure)
        self._end_campaign(report, chain_lost=chain_lost, refused=refused)

    def is_trial(self, slot: Slot, executed: Sequence) -> bool:
        """Return whether what a process was executing was tried for somebody who may only look, and is nothing that the
        campaign itself would execute. Empty, it may have been anything."""
        steering, work = self._books.steering, slot.work
        if not steering.is_tried(slot.index, executed):
            return False
        own = work.sequences if isinstance(work, Replay) else (work.sequence,) if isinstance(work, Shrink) else ()
        return not executed or not _starting_with(executed, (*steering.given(slot.index), *own))

    def _end_campaign(self, report: WorkerEnded, *, chain_lost: bool, refused: bool) -> None:
        lifecycle = self._books.lifecycle
        if chain_lost:
            # The others read the same chain, and everything found so far is worth a report.
            lifecycle.failure = report.failure
            self._books.log.append(CAMPAIGN, Warned(f"the campaign ends: {report.failure}"))
            lifecycle.halt(StopReason.CHAIN_LOST)
        elif refused:
            lifecycle.refusal, lifecycle.failure = report.refusal, report.failure
            lifecycle.halt(StopReason.REFUSED)
        elif not lifecycle.is_draining and self._books.pool.all_ended:
            lifecycle.failure = report.failure
            lifecycle.halt(StopReason.NO_WORKERS)

    def _lose_machine(self, slot: Slot, calls: int) -> None:
        """Take back the work of a process that was lost with its machine: nothing that it executed is to blame."""
        work = slot.lose_process(calls, self._books.budget)
        self._books.steering.lose(slot.index)
        self._take_back(work)
        if isinstance(work, Replay) and len(work.sequences) == 1:
            self._books.services.quarantine.try_again(work.sequences[0])  # perhaps a suspect, still to be tried alone

    async def _lose_process(self, slot: Slot, calls: int, executed: Sequence, failure: str) -> None:
        """Take back the work of a process that failed, and find out whether a sequence is to blame. `executed` is
        part of what it had been given, or of its own making; empty, it may have been anything that it was assigned."""
        is_trial = self.is_trial(slot, executed)
        work = slot.lose_process(calls, self._books.budget)
        given = self._books.steering.lose(slot.index, executed if is_trial else None)
        self._take_back(work)
        replayed = work.sequences if isinstance(work, Replay) else ()
        if is_trial:
            # Who may only look changes nothing: no finding, nothing excluded, and the campaign's own is not to blame.
            self._books.services.quarantine.suspect((*given, *replayed) if not executed else ())
            self._books.log.append(slot.index, Warned(f"the worker died of calls that were tried once: {failure}"))
            return
        if executed and _starting_with(executed, (*given, *replayed)):
            given, replayed = _starting_with(executed, given), _starting_with(executed, replayed)
        elif executed:
            given = ()  # What it was given to execute has nothing to do with it.
            await self._blame_own(slot.index, executed, failure, work)
        if isinstance(work, Shrink) and self._books.services.quarantine.blame(work.sequence):
            await self._books.findings.give_up(work.test)
        if len(replayed) == 1:
            given += replayed
        else:
            self._books.services.quarantine.suspect(replayed)
        for sequence in given:
            await self._blame(slot.index, sequence, failure)

    async def _blame_own(self, worker: int, executed: Sequence, failure: str, work: Work | None) -> None:
        """The worker generated the sequence itself, so no other worker would repeat it: it is tried alone."""
        if isinstance(work, Shrink) and _starting_with(executed, (work.sequence,)):
            return
        if not await self._blame(worker, executed, failure):
            self._books.services.quarantine.try_again(executed)

    async def _blame(self, worker: int, sequence: Sequence, failure: str) -> bool:
        """A worker died of this sequence. Returns whether it is quarantined by that."""
        if not self._books.services.quarantine.blame(sequence):
            return False
        await self._books.findings.crash(worker, sequence, failure)
        if self._books.services.quarantine.statistics().quarantined <= MAX_FORGIVEN:
            for slot in self._books.pool.slots:
                slot.worker.forgive()
        if (name := self._crashing.blame(sequence)) is not None:
            self._leave_out(name)
        return True

    def _leave_out(self, name: str) -> None:
        try:
            self._books.steering.answer(ExcludeFunction(name))
        except CommandRejected:
            return
        self._books.log.append(CAMPAIGN, Warned(f"{name}: workers keep dying of its calls, so it is no longer called"))

    def _take_back(self, work: Work | None) -> None:
        if isinstance(work, Shrink):
            self._books.findings.tests.drop_shrink(work.test)


def _starting_with(beginning: Sequence, sequences: tuple[Sequence, ...]) -> tuple[Sequence, ...]:
    return tuple(sequence for sequence in sequences if sequence[: len(beginning)] == beginning)
