"""Reports of workers: they are ready, they found something, their work is done.

Reports of one worker arrive in the order of its frames. Works for the campaign actor, which alone calls it.
"""

from __future__ import annotations

from actors.campaign.books import CampaignBooks
from actors.campaign.distribution import WorkDistribution, owed_calls
from actors.events.types import CAMPAIGN, CoverageIncreased, StopReason, Warned, WorkerStarted
from actors.runtime.errors import CommandRejected
from actors.workers.reports import EntryKept, WorkerReady, WorkerReported
from simulator.errors import TargetError
from simulator.worker.commands import CloseTest, Fuzz, Replay, Shrink
from simulator.worker.reports import Done, Executed, Falsified, Injected, Obeyed, Presumed, Ready, Shrunk, Skipped


class WorkerReports:
    """Acts on reports of workers."""

    def __init__(self, books: CampaignBooks, distribution: WorkDistribution) -> None:
        self._books = books
        self._distribution = distribution
        self._points = 0

    async def ready(self, report: WorkerReady) -> None:
        """A process has deployed the target: it gets the corpus to replay, and hears what was said before."""
        slot = self._books.pool.slots[report.worker]
        corpus = () if not self._books.lifecycle.takes_commands else self._books.services.keeper.to_replay()
        slot.become_ready(report.incarnation, corpus, self._books.pool.size, self._books.services.quarantine)
        self._books.log.append(report.worker, WorkerStarted(report.seed, report.incarnation, report.node))
        if self._books.target is None:
            self._introduce(report.ready)
            self._take_up()
            self._bind()
        for test, site in self._books.findings.tests.settled:
            slot.worker.tell(CloseTest(test, site))
        self._books.steering.greet(slot, self._books.services.quarantine.admits)
        await self._check_start(report)

    async def _check_start(self, report: WorkerReady) -> None:
        """Return the failures right after deployment; where nothing can be called, that is all there is to find out."""
        ready = report.ready
        for index, (test, reason) in enumerate(ready.falsified_at_start):
            site = ready.sites_at_start[index] if index < len(ready.sites_at_start) else ""
            await self._falsified(report.worker, Falsified(test, (), reason, site=site))
        for test, reason in ready.skipped_at_start:
            await self._skipped(report.worker, Skipped(test, reason))
        if not ready.functions:
            self._books.lifecycle.drain(StopReason.NOTHING_TO_CALL)

    def _introduce(self, target: Ready) -> None:
        self._books.target = target
        self._books.findings.tests.introduce(target.tests)
        self._books.services.priorities.introduce(target.functions)
        self._books.clock.start()

    def _take_up(self) -> None:
        """Continue the earlier campaign, now that the target's tests and contracts are known."""
        earlier = self._books.earlier
        if earlier is None:
            return
        self._books.findings.tests.restore(earlier.tests)
        self._books.services.tracker.restore_functions(earlier.functions)
        self._books.services.priorities.restore_counts(earlier.functions)
        for record in earlier.tests:
            if record.info.kind == "crash":
                self._books.services.quarantine.condemn(record.sequence)
        for problem in self._books.steering.restore(earlier.steering):
            self._books.log.append(CAMPAIGN, Warned(problem))
        if self._books.findings.tests.all_closed or (
            self._books.plan.stop_on_fail and self._books.findings.tests.any_falsified
        ):
            self._books.lifecycle.replay_only()

    def _bind(self) -> None:
        """Let the clamps hold that the campaign was given. One that does not fit the target ends it: it would not be
        the campaign that was asked for."""
        called = {
            f"{each.contract}.{each.signature}" for each in self._books.services.priorities.statistics().functions
        }
        for clamp in self._books.plan.clamps:
            try:
                bound = self._books.steering.bind(clamp)
            except CommandRejected as error:
                self._books.lifecycle.refusal = TargetError.code
                self._books.lifecycle.failure = f"clamps: {clamp.function}: {error}"
                self._books.lifecycle.halt(StopReason.REFUSED)
                return
            for name in bound:
                if name not in called:
                    self._books.log.append(
                        CAMPAIGN, Warned(f"clamps: {name} is not called, so its clamp has no effect")
                    )

    async def said(self, report: WorkerReported) -> None:
        """A frame that is the campaign's business."""
        match report.frame:
            case Falsified():
                await self._falsified(report.worker, report.frame)
            case Skipped():
                await self._skipped(report.worker, report.frame)
            case Presumed():
                self._books.findings.tests.presume(report.frame)
            case Shrunk():
                self._books.findings.shrunk(report.worker, report.frame)
            case Done():
                await self._done(report.worker, report.frame)
            case Executed():
                self._books.steering.executed(report.frame)
            case Injected():
                self._books.steering.injected(report.worker, report.frame)
            case Obeyed():
                self._books.steering.effects.obeyed(report.worker, report.frame)

    def kept(self, report: EntryKept) -> None:
        """The corpus keeper has a sequence that brought coverage."""
        if not report.new:
            return
        self._books.clock.cover()
        self._points = max(self._points, report.points)
        place = report.place
        event = CoverageIncreased(
            self._points,
            report.codes,
            report.sequences,
            report.transactions,
            report.function,
            report.entry,
            place.location,
            place.function,
            place.code,
            place.cells,
        )
        self._books.log.append(report.worker, event)

    async def _falsified(self, worker: int, frame: Falsified) -> None:
        if not await self._books.findings.falsify(worker, frame):
            return
        for slot in self._books.pool.live:
            if slot.index != worker:
                slot.worker.tell(CloseTest(frame.test, frame.site))
        self.drain_if_decided(worker)

    async def _skipped(self, worker: int, frame: Skipped) -> None:
        if not await self._books.findings.skip(frame):
            return
        for slot in self._books.pool.live:
            if slot.index != worker:
                slot.worker.tell(CloseTest(frame.test, ""))
        self.drain_if_decided(worker)

    def drain_if_decided(self, worker: int | None = None) -> None:
        """Drain on findings at once, so that the other workers need not finish their pieces; that of `worker` ends by
        itself."""
        if self._books.lifecycle.only_replays:
            return
        if self._books.plan.stop_on_fail and self._books.findings.tests.any_falsified:
            self._books.lifecycle.drain(StopReason.STOP_ON_FAIL, but=worker)
        elif self._books.findings.tests.all_closed:
            self._books.lifecycle.drain(StopReason.ALL_TESTS_CLOSED, but=worker)

    async def _done(self, worker: int, frame: Done) -> None:
        slot = self._books.pool.slots[worker]
        work = slot.end_work(frame.calls, self._books.budget, finished=frame.reason == "finished")
        if frame.reason == "exhausted":
            self._books.lifecycle.drain(StopReason.ALL_TESTS_CLOSED, but=worker)
        if isinstance(work, Shrink):
            slot.owed = owed_calls(frame.beside)
            await self._books.findings.end_shrink(worker, work.test, frame)
        elif isinstance(work, Replay) and frame.reason == "finished":
            self._books.services.quarantine.clear(work.sequences)
        elif isinstance(work, Fuzz) and slot.live and not self._books.lifecycle.is_draining:
            self._distribution.pass_milestones(slot)
        self._books.lifecycle.recycle_outdated()
