"""The campaign's books: all of its state in one place. The actor's handlers get the books and the message."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import trio

from actors.campaign.budget import Budget, CallStops
from actors.campaign.clock import CampaignClock
from actors.campaign.findings import Findings
from actors.campaign.lifecycle import CampaignLifecycle
from actors.campaign.messages import CampaignMessage
from actors.campaign.plan import CampaignPlan, CampaignPorts
from actors.campaign.pool import WorkerPool
from actors.campaign.state import CampaignState
from actors.campaign.worker_steering import WorkerSteering
from actors.events.log import EventLog
from actors.runtime.mailbox import Mailbox
from actors.steering.commands import Limits
from actors.workers.services import WorkerServices
from simulator.transaction import Sequence
from simulator.worker.reports import Ready


@dataclass
class CampaignBooks:
    """State of one campaign, changed by its actor only. `earlier` is the state that it continues; `target` is what the
    first ready worker reported, None before that."""

    plan: CampaignPlan
    mailbox: Mailbox[CampaignMessage]
    services: WorkerServices
    pool: WorkerPool
    budget: Budget
    clock: CampaignClock
    findings: Findings
    lifecycle: CampaignLifecycle
    steering: WorkerSteering
    stops: CallStops
    earlier: CampaignState | None = None
    target: Ready | None = None
    nursery: trio.Nursery | None = None

    @property
    def tasks(self) -> trio.Nursery:
        """Tasks that end with the campaign."""
        assert self.nursery is not None, "commands are handled while the campaign runs"
        return self.nursery

    @property
    def log(self) -> EventLog:
        return self.services.log

    def calls(self) -> int:
        """Calls made within the budget, those of unfinished pieces included as far as heartbeats reported them."""
        return calls_made(self.budget, self.pool)

    def gas(self) -> int:
        """Gas that calls have used, as far as heartbeats reported it."""
        before = self.earlier.gas if self.earlier is not None else 0
        return before + sum(slot.worker.statistics().gas for slot in self.pool.slots)

    def limits(self) -> Limits:
        """The current limits."""
        return Limits(self.budget.limit, self.clock.time_limit, self.clock.coverage_limit, self.findings.tests.limit)


def calls_made(budget: Budget, pool: WorkerPool) -> int:
    return budget.used + sum(slot.fuzz_calls for slot in pool.slots)


def open_books(
    plan: CampaignPlan,
    mailbox: Mailbox[CampaignMessage],
    services: WorkerServices,
    workers: int,
    ports: CampaignPorts,
    earlier: CampaignState | None,
    keep: Callable[[Sequence], None],
) -> CampaignBooks:
    """Books of a campaign that is about to begin, or to continue `earlier`. `keep` stores an injected sequence in the
    corpus without waiting."""
    used, seconds, processes = (earlier.calls, earlier.seconds, earlier.processes) if earlier else (0, 0.0, ())
    pool = WorkerPool(services, workers, processes)
    budget = Budget(plan.call_limit, used)
    # What stays open has time to shrink.
    grace = math.inf if plan.stays_open else plan.shrink_grace
    clock = CampaignClock(plan.time_limit, plan.coverage_limit, grace, seconds)
    findings = Findings(plan.shrink_limit, services.keeper, services.log)
    return CampaignBooks(
        plan=plan,
        mailbox=mailbox,
        services=services,
        pool=pool,
        budget=budget,
        clock=clock,
        findings=findings,
        lifecycle=CampaignLifecycle(pool, clock, findings.tests, services.log, stays_open=plan.stays_open),
        steering=WorkerSteering(ports.reader, services, pool, keep, lambda: calls_made(budget, pool)),
        stops=CallStops(plan.stops),
        earlier=earlier,
    )
