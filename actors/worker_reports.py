"""What the campaign makes of what its workers say: that they are ready, what they found, that their work is done.

Reports of one worker arrive in the order of its frames. Works for the campaign actor, which alone calls it.
"""

from __future__ import annotations

from actors.budget import Budget
from actors.campaign_clock import CampaignClock
from actors.campaign_course import CampaignCourse
from actors.campaign_state import CampaignState
from actors.crew import Crew
from actors.findings import Findings
from actors.messages import (
    CAMPAIGN,
    CoverageIncreased,
    EntryKept,
    StopReason,
    Warned,
    WorkerReady,
    WorkerSaid,
    WorkerStarted,
)
from actors.steering_desk import SteeringDesk
from actors.work_distribution import WorkDistribution
from actors.worker_services import WorkerServices
from simulator.worker.protocol import (
    CloseTest,
    Done,
    Executed,
    Falsified,
    Fuzz,
    Injected,
    Obeyed,
    Ready,
    Replay,
    Shrink,
    Shrunk,
)


class WorkerReports:
    """Acts on reports. `target` is what the first worker said of it, None before that; `stop_on_fail` lets the first
    finding end the fuzzing; `earlier` is where the campaign goes on."""

    def __init__(
        self,
        course: CampaignCourse,
        crew: Crew,
        budget: Budget,
        clock: CampaignClock,
        findings: Findings,
        services: WorkerServices,
        desk: SteeringDesk,
        distribution: WorkDistribution,
        *,
        stop_on_fail: bool,
        earlier: CampaignState | None = None,
    ) -> None:
        self._course = course
        self._crew = crew
        self._budget = budget
        self._clock = clock
        self._findings = findings
        self._tests = findings.tests
        self._services = services
        self._desk = desk
        self._distribution = distribution
        self._stop_on_fail = stop_on_fail
        self._earlier = earlier
        self._points = 0
        self.target: Ready | None = None

    async def ready(self, report: WorkerReady) -> None:
        """A process has deployed the target: it gets the corpus to replay, and hears what was said before."""
        slot = self._crew.slots[report.worker]
        corpus = () if self._course.is_draining else self._services.keeper.to_replay()
        slot.become_ready(report.incarnation, corpus, self._crew.size, self._services.quarantine)
        self._services.log.append(report.worker, WorkerStarted(report.seed, report.incarnation))
        if self.target is None:
            self._introduce(report.ready)
            self._take_up()
        for test in self._tests.closed:
            slot.worker.tell(CloseTest(test))
        self._desk.greet(slot, self._services.quarantine.admits)
        for test, reason in report.ready.falsified_at_start:
            await self._falsified(report.worker, Falsified(test, (), reason))

    def _introduce(self, target: Ready) -> None:
        self.target = target
        self._tests.introduce(target.tests)
        self._services.priorities.introduce(target.functions)
        self._clock.start()

    def _take_up(self) -> None:
        """Go on where the earlier campaign left, now that the target's tests and contracts are known."""
        if self._earlier is None:
            return
        self._tests.restore(self._earlier.tests)
        self._services.tracker.restore_functions(self._earlier.functions)
        self._services.priorities.restore_counts(self._earlier.functions)
        for record in self._earlier.tests:
            if record.info.kind == "crash":
                self._services.quarantine.condemn(record.sequence)
        for problem in self._desk.restore(self._earlier.steering):
            self._services.log.append(CAMPAIGN, Warned(problem))
        if self._tests.all_closed or (self._stop_on_fail and self._tests.any_falsified):
            self._course.replay_only()

    async def said(self, report: WorkerSaid) -> None:
        """A frame that is the campaign's business."""
        match report.frame:
            case Falsified():
                await self._falsified(report.worker, report.frame)
            case Shrunk():
                self._findings.shrunk(report.worker, report.frame)
            case Done():
                await self._done(report.worker, report.frame)
            case Executed():
                self._desk.executed(report.frame)
            case Injected():
                self._desk.injected(report.worker, report.frame)
            case Obeyed():
                self._desk.effects.obeyed(report.worker, report.frame)

    def kept(self, report: EntryKept) -> None:
        """The corpus keeper has a sequence that brought coverage."""
        if not report.new:
            return
        self._clock.cover()
        self._points = max(self._points, report.points)
        event = CoverageIncreased(self._points, report.codes, report.sequences, report.transactions)
        self._services.log.append(report.worker, event)

    async def _falsified(self, worker: int, frame: Falsified) -> None:
        if not await self._findings.falsify(worker, frame):
            return
        for slot in self._crew.live:
            if slot.index != worker:
                slot.worker.tell(CloseTest(frame.test))
        self.drain_if_decided(worker)

    def drain_if_decided(self, worker: int | None = None) -> None:
        """Drain on findings at once, so that the other workers need not finish their pieces; that of `worker` ends by
        itself."""
        if self._course.only_replays:
            return
        if self._stop_on_fail and self._tests.any_falsified:
            self._course.drain(StopReason.STOP_ON_FAIL, but=worker)
        elif self._tests.all_closed:
            self._course.drain(StopReason.ALL_TESTS_CLOSED, but=worker)

    async def _done(self, worker: int, frame: Done) -> None:
        slot = self._crew.slots[worker]
        work = slot.end_work(frame.calls, self._budget)
        if isinstance(work, Shrink):
            await self._findings.end_shrink(worker, work.test, frame)
        elif isinstance(work, Replay) and frame.reason == "finished":
            self._services.quarantine.clear(work.sequences)
        elif isinstance(work, Fuzz) and slot.live and not self._course.is_draining:
            self._distribution.pass_milestones(slot)
