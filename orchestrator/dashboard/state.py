"""State of a campaign on a page, at one moment: frozen values in parts, of which a page gets those that changed."""

from __future__ import annotations

from typing import Literal

import msgspec

from actors.campaign.status import CampaignStatus, WorkerStatus
from actors.campaign.tests import TestRecord
from simulator.health.model import DECISIVE, CampaignHealth, Growth, HealthPoint, Verdict
from tools.campaign.naming import finding_id

Doubt = Literal["", "vacuous", "thin"]


class Part(msgspec.Struct, frozen=True, rename="camel"):
    """Base of all parts: camel case in JSON."""


class Figures(Part, frozen=True):
    """`phase` as the tool `status` names it. `calls_per_second` is of about the last second. Limits that do not hold
    are null; percentages are null before there is a report of coverage. `ended` says why fuzzing has ended, empty
    before. `folder` is that of the corpus, empty for none. `saved` where the campaign is read from its folder.
    `problem` says why there is nothing to show."""

    phase: str = "none"
    running: bool = False
    paused: bool = False
    saved: bool = False
    target: str = ""
    test_mode: str = ""
    seed: str = ""
    seconds: float = 0.0
    calls: int = 0
    calls_per_second: float = 0.0
    age: float = 0.0
    call_limit: int | None = None
    time_limit: float | None = None
    coverage_limit: float | None = None
    shrink_limit: int = 0
    seconds_since_new_coverage: float | None = None
    points: int = 0
    line_coverage: float | None = None
    branch_coverage: float | None = None
    lines_hit: int = 0
    lines_found: int = 0
    sequences: int = 0
    transactions: int = 0
    wanted_workers: int = 0
    commands: int = 0
    folder: str = ""
    ended: str = ""
    problem: str = ""


class TestState(Part, frozen=True):
    """One test, or a further failure of one (`parent` is then the id of that test). `id` is that of the tools. `found`
    is when it failed, in Unix seconds, null where it did not or where that is not known any more; `length` the calls
    of the shortest sequence. `attempts` of shrinking were made. `doubt` says why its passing means less; `why` in a
    sentence."""

    __test__ = False

    id: str
    name: str
    contract: str
    kind: str
    state: str
    reason: str
    site: str = ""
    value: str = ""
    length: int = 0
    minimal: bool = False
    attempts: int = 0
    found: float | None = None
    parent: str = ""
    doubt: Doubt = ""
    why: str = ""


class WorkerState(Part, frozen=True):
    """One worker. `work` is fuzz, replay, shrink or empty; `shrinking` names the test that it shrinks. `resident` is in
    bytes, `cpu` in cores. `node` is the machine of its process, empty for this one."""

    worker: int
    state: str
    work: str
    calls: int
    calls_per_second: float
    resident: int
    cpu: float
    restarts: int
    age: float
    pid: int = 0
    node: str = ""
    shrinking: str = ""
    ended: bool = False


class HealthState(Part, frozen=True):
    """The verdict as of `calls` calls; null parts are not known yet."""

    verdict: Verdict | None = None
    summary: str = ""
    calls: int = 0
    growth: Growth | None = None
    points: tuple[HealthPoint, ...] = ()


class CampaignLine(Part, frozen=True):
    """One of several campaigns: `state` is ended, running or waiting. `folder` is where it is kept, empty for nowhere;
    `health` is null where nobody looked at it. `id` names one that this page can open, and is empty for one of those
    that a program carries out in turn. `phase` is that of the tool `status`, empty where that is all there is to say.
    `problem` says why it could not be carried out."""

    target: str
    state: Literal["ended", "running", "waiting"]
    tests: int = 0
    failed: int = 0
    calls: int = 0
    seconds: float = 0.0
    points: int = 0
    health: Verdict | None = None
    folder: str = ""
    id: str = ""
    phase: str = ""
    paused: bool = False
    calls_per_second: float = 0.0
    line_coverage: float | None = None
    workers: int = 0
    problem: str = ""


class PageState(Part, frozen=True):
    """Everything that a page shows without asking. `campaigns` are there where a program carries out several
    or a server has several."""

    figures: Figures = Figures()
    tests: tuple[TestState, ...] = ()
    workers: tuple[WorkerState, ...] = ()
    health: HealthState = HealthState()
    campaigns: tuple[CampaignLine, ...] = ()


def test_states(
    records: tuple[TestRecord, ...], health: CampaignHealth | None, found: dict[int, float]
) -> tuple[TestState, ...]:
    """The tests with what health says of them; `found` is when each failed, by its number."""
    points = points_by_test(health)
    return tuple(_test(record, records, health, points, found) for record in records)


def _test(
    record: TestRecord,
    records: tuple[TestRecord, ...],
    health: CampaignHealth | None,
    points: dict[str, HealthPoint],
    found: dict[int, float],
) -> TestState:
    doubt, why = doubt_of(record.info.name, None if record.falsified else health, points)
    return TestState(
        id=finding_id(record),
        name=record.info.name,
        contract=record.info.contract,
        kind=record.info.kind,
        state=record.state,
        reason=record.reason,
        site=record.site,
        value=record.value,
        length=len(record.sequence),
        minimal=record.minimal,
        attempts=record.attempts,
        found=found.get(record.info.id) if record.found else None,
        parent=finding_id(records[record.parent]) if 0 <= record.parent < len(records) else "",
        doubt=doubt,
        why=why,
    )


def doubt_of(name: str, health: CampaignHealth | None, points: dict[str, HealthPoint]) -> tuple[Doubt, str]:
    """Why a test that has not failed means less than it seems, and the sentence behind it."""
    if health is None:
        return "", ""
    decisive = next((point for point in health.points if point.kind in DECISIVE), None)
    if decisive is not None:
        return "vacuous", decisive.text
    if (point := points.get(name)) is not None:
        return ("vacuous" if point.kind == "vacuous-test" else "thin"), point.text
    return "", ""


def points_by_test(health: CampaignHealth | None) -> dict[str, HealthPoint]:
    """The first point that weakens each test."""
    points: dict[str, HealthPoint] = {}
    for point in health.points if health is not None else ():
        if point.test and point.weakens:
            points.setdefault(point.test, point)
    return points


def worker_states(status: CampaignStatus, *, is_still: bool) -> tuple[WorkerState, ...]:
    """The workers; none of them calls anything while the campaign `is_still`."""
    return tuple(_worker(worker, status, is_still) for worker in status.workers)


def _worker(worker: WorkerStatus, status: CampaignStatus, is_still: bool) -> WorkerState:
    figures, test = worker.statistics, worker.shrinking
    return WorkerState(
        worker=figures.index,
        state=figures.state,
        work=worker.work,
        calls=figures.calls,
        calls_per_second=0.0 if is_still or not worker.work else round(figures.rate, 1),
        resident=figures.resident,
        cpu=round(figures.cpu, 2),
        restarts=worker.restarts,
        age=round(figures.age, 1) if worker.work else 0.0,
        pid=figures.pid,
        node=figures.node,
        shrinking=status.tests[test].info.name if test is not None else "",
        ended=worker.ended,
    )
