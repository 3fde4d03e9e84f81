"""Frozen values of one moment of a campaign, made from its books when asked for."""

from __future__ import annotations

from actors.campaign.books import CampaignBooks
from actors.campaign.state import CampaignState
from actors.campaign.status import CampaignEnd, CampaignStatus
from actors.events.types import StopReason


def status(books: CampaignBooks) -> CampaignStatus:
    """This moment's figures."""
    workers = tuple(slot.status() for slot in books.pool.slots)
    services = books.services
    return CampaignStatus(
        phase=books.lifecycle.phase,
        seconds=books.clock.seconds,
        calls=books.calls(),
        call_limit=books.budget.limit,
        time_limit=books.clock.time_limit,
        rate=sum(worker.statistics.rate for worker in workers if worker.work),
        age=max((worker.statistics.age for worker in workers if worker.work), default=0.0),
        seconds_since_coverage=books.clock.seconds_since_coverage,
        paused=books.lifecycle.is_paused,
        tests=books.findings.tests.records,
        workers=workers,
        corpus=services.keeper.statistics(),
        coverage=services.tracker.statistics(),
        events=services.log.statistics(),
        mailbox=books.mailbox.statistics(),
        failure=books.lifecycle.failure,
        limits=books.limits(),
        steering=books.steering.statistics(),
        quarantine=services.quarantine.statistics(),
        ended=books.lifecycle.reason.value if books.lifecycle.reason is not None else "",
    )


def end(books: CampaignBooks) -> CampaignEnd:
    """The outcome if the campaign ended now, with the current state of its tests."""
    return CampaignEnd(
        books.lifecycle.reason or StopReason.RUNNING,
        books.calls(),
        books.clock.seconds,
        books.findings.tests.records,
        books.target,
        books.lifecycle.failure,
        books.lifecycle.refusal,
        books.gas(),
        tuple(slot.worker.last_node for slot in books.pool.slots),
    )


def state(books: CampaignBooks) -> CampaignState:
    """State kept by a checkpoint."""
    return CampaignState(
        calls=books.calls(),
        seconds=books.clock.seconds,
        limits=books.limits(),
        tests=books.findings.tests.records,
        steering=books.steering.state(),
        workers=books.pool.wanted,
        processes=books.pool.processes,
        functions=books.services.priorities.totals(),
        gas=books.gas(),
    )
