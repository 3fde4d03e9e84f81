"""What others read of a campaign: frozen values of one moment, made when asked for."""

from __future__ import annotations

from actors.budget import Budget
from actors.campaign_clock import CampaignClock
from actors.campaign_control import CampaignControl
from actors.campaign_course import CampaignCourse
from actors.campaign_state import CampaignState
from actors.campaign_status import CampaignEnd, CampaignStatus
from actors.crew import Crew
from actors.findings import Findings
from actors.messages import StopReason
from actors.worker_services import WorkerServices
from simulator.worker.protocol import Ready


class CampaignSnapshots:
    """Reads the campaign's parts and changes nothing."""

    def __init__(
        self,
        course: CampaignCourse,
        crew: Crew,
        budget: Budget,
        clock: CampaignClock,
        findings: Findings,
        services: WorkerServices,
        control: CampaignControl,
    ) -> None:
        self._course = course
        self._crew = crew
        self._budget = budget
        self._clock = clock
        self._tests = findings.tests
        self._services = services
        self._control = control

    def calls(self) -> int:
        """Calls of the budget that were made, the pieces in hand included as far as heartbeats told."""
        return self._budget.used + sum(slot.fuzz_calls for slot in self._crew.slots)

    def status(self) -> CampaignStatus:
        """This moment's figures."""
        workers = tuple(slot.status() for slot in self._crew.slots)
        services = self._services
        return CampaignStatus(
            phase=self._course.phase,
            seconds=self._clock.seconds,
            calls=self.calls(),
            call_limit=self._budget.limit,
            time_limit=self._clock.time_limit,
            rate=sum(worker.statistics.rate for worker in workers if worker.work),
            seconds_since_coverage=self._clock.seconds_since_coverage,
            paused=self._course.is_paused,
            tests=self._tests.records,
            workers=workers,
            corpus=services.keeper.statistics(),
            coverage=services.tracker.statistics(),
            events=services.log.statistics(),
            mailbox=services.campaign.statistics(),
            failure=self._course.failure,
            limits=self._control.limits(),
            steering=self._control.desk.statistics(),
            quarantine=services.quarantine.statistics(),
        )

    def end(self, target: Ready | None) -> CampaignEnd:
        """The campaign as if it ended at this moment, its tests as they stand. `target` as the first worker told it."""
        return CampaignEnd(
            self._course.reason or StopReason.RUNNING,
            self.calls(),
            self._clock.seconds,
            self._tests.records,
            target,
            self._course.failure,
            self._course.refusal,
        )

    def state(self) -> CampaignState:
        """What a checkpoint keeps."""
        return CampaignState(
            calls=self.calls(),
            seconds=self._clock.seconds,
            limits=self._control.limits(),
            tests=self._tests.records,
            steering=self._control.desk.state(),
            workers=self._crew.wanted,
            processes=self._crew.processes,
            functions=self._services.priorities.totals(),
        )
