"""`status` and `target`: the state of a campaign, and its target."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import trio

from actors.campaign.actor import Campaign
from actors.campaign.status import CampaignStatus
from tools.caller import current_caller
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.coverage_tools import current_report
from tools.campaign.fields import PageInput
from tools.campaign.health import KnownHealth
from tools.campaign.inputs import NoInput
from tools.campaign.naming import finding_id
from tools.campaign.publishing import looking
from tools.campaign.results import (
    ContractFacts,
    CorpusFigures,
    CoverageFigures,
    Deltas,
    FunctionFacts,
    HealthFigures,
    StatusResult,
    TargetResult,
    TestCounts,
    TestFacts,
    WorkerFigures,
    answer_of,
)
from tools.tool import Answer, Tool

MAX_CLIENTS = 256
MAX_FINDINGS = 50
FRESH_SECONDS = 0.03
"""How long an answer waits for a report of coverage that holds what is covered by now."""
HEALTH_AGE = 3.0
"""Seconds for which a verdict is good enough here."""
CORRECT = "Correct what failure says (sources, contract, testMode), then begin again with start_campaign."

IDLE = (
    "execute_sequence and inject_transaction continue; set_limits and reset_tests let it fuzz again; stop_campaign"
    " ends it and writes the reports."
)


@dataclass(frozen=True)
class _Seen:
    """The last status sent to a client."""

    time: float
    calls: int
    points: int
    transactions: int
    restarts: int
    findings: frozenset[str]


class StatusTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access
        self._seen: WeakKeyDictionary[Campaign, OrderedDict[str, _Seen]] = WeakKeyDictionary()

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "status",
                "Phase, speed, tests, coverage, corpus, workers, and what has changed since your last call. nextStep"
                " says what to do where nothing runs, also without a campaign.",
                (NoInput, StatusResult),
                self.status,
            ),
            looking(
                "target",
                "What is fuzzed: contracts with addresses, their functions (signature, payable, prioritized, excluded),"
                " tests, senders and seed. Use it first, to know what can be called.",
                (PageInput, TargetResult),
                self.target,
            ),
        )

    async def status(self, inputs: NoInput) -> Answer:
        parts = self._access.parts
        if parts is not None:
            await current_report(parts)
            # Its report of coverage is the one that the figures below are read from.
            await self._access.health.current(
                parts.campaign, parts.coverage, parts.settings, parts.project, FRESH_SECONDS, HEALTH_AGE
            )
        return answer_of(self.figures(remember=True))

    def figures(self, *, remember: bool) -> StatusResult:
        """This moment. With `remember`, the next one's deltas count from here for the same client."""
        parts = self._access.parts
        if parts is None:
            return _without_campaign(self._access)
        status = parts.campaign.status()
        findings = tuple(finding_id(record) for record in status.tests if record.falsified)
        seen = _Seen(
            trio.current_time(),
            status.calls,
            status.coverage.points,
            status.corpus.transactions,
            sum(worker.restarts for worker in status.workers),
            frozenset(findings),
        )
        clients = self._seen.setdefault(parts.campaign, OrderedDict())
        deltas = _deltas(_last(clients, seen, status), seen, findings)
        if remember:
            _remember(clients, seen)
        return _result(parts, status, findings, deltas, self._access.health.latest(parts.campaign))

    async def target(self, inputs: PageInput) -> Answer:
        return answer_of(target_of(self._access.current, inputs))


def _last(clients: Mapping[str, _Seen], seen: _Seen, status: CampaignStatus) -> _Seen:
    start = _Seen(seen.time - status.seconds, 0, 0, 0, 0, frozenset())
    return clients.get(current_caller().identity, start)


def _remember(clients: OrderedDict[str, _Seen], seen: _Seen) -> None:
    identity = current_caller().identity
    clients[identity] = seen
    clients.move_to_end(identity)
    while len(clients) > MAX_CLIENTS:
        clients.popitem(last=False)


def _deltas(last: _Seen, now: _Seen, findings: tuple[str, ...]) -> Deltas:
    return Deltas(
        seconds=round(now.time - last.time, 3),
        calls=now.calls - last.calls,
        points=now.points - last.points,
        transactions=now.transactions - last.transactions,
        restarts=now.restarts - last.restarts,
        findings=tuple(each for each in findings if each not in last.findings)[:MAX_FINDINGS],
    )


def _result(
    parts: CampaignComponents,
    status: CampaignStatus,
    findings: tuple[str, ...],
    deltas: Deltas,
    known: KnownHealth | None,
) -> StatusResult:
    since = status.seconds_since_coverage
    is_still = parts.is_over or status.paused or status.phase == "idle"
    return StatusResult(
        phase=_phase(parts, status),
        running=not parts.is_over,
        paused=status.paused,
        target=parts.settings.contract,
        test_mode=parts.settings.test_mode,
        seconds=round(status.seconds, 3),
        calls=status.calls,
        calls_per_second=round(status.rate, 1),
        age=round(status.age, 3),
        call_limit=status.call_limit,
        time_limit=status.time_limit,
        seconds_since_new_coverage=None if since is None else round(since, 3),
        tests=_test_counts(status),
        findings=findings[:MAX_FINDINGS],
        coverage=_coverage(parts, status),
        corpus=CorpusFigures(status.corpus.sequences, status.corpus.transactions),
        workers=tuple(
            WorkerFigures(
                worker=worker.statistics.index,
                state=worker.statistics.state,
                calls=worker.statistics.calls,
                calls_per_second=0 if is_still else round(worker.statistics.rate, 1),
                resident=worker.statistics.resident,
                cpu=round(worker.statistics.cpu, 2),
                restarts=worker.restarts,
                age=round(worker.statistics.age, 3),
                node=worker.statistics.node or msgspec.UNSET,
            )
            for worker in status.workers
        ),
        since_last_call=deltas,
        failure=status.failure,
        next_step=_next_step(parts, status),
        health=_health(known) if known is not None else None,
    )


def _health(known: KnownHealth) -> HealthFigures:
    weakening = sum(point.weakens for point in known.health.points)
    return HealthFigures(known.health.verdict, weakening, known.calls)


def _coverage(parts: CampaignComponents, status: CampaignStatus) -> CoverageFigures:
    """Percentages and their age are read from one report."""
    report, points = parts.coverage.latest, status.coverage.points
    if report.frames < 0 or (points > report.points and not report.summary.line_coverage):
        # A report from before the first line says nothing of what has been covered since.
        return CoverageFigures(points, None, None, None)
    summary, age = report.summary, parts.coverage.age(report)
    return CoverageFigures(points, summary.line_coverage, summary.branch_coverage, round(age, 3))


def _phase(parts: CampaignComponents, status: CampaignStatus) -> str:
    if not parts.is_over:
        return status.phase
    return "failed" if status.failure else "finished"


def _next_step(parts: CampaignComponents, status: CampaignStatus) -> str | None:
    if parts.is_over and status.failure:
        return CORRECT
    if parts.is_over:
        return "The campaign has ended. list_findings, get_reproducer and show_coverage still answer."
    if status.phase == "idle":
        return f"Fuzzing has ended: {status.ended}. {IDLE}"
    if status.ended:
        return f"Fuzzing has ended: {status.ended}. Findings are still shrunk and reports written."
    return "The campaign is paused; resume_campaign lets it continue." if status.paused else None


def _without_campaign(access: CampaignAccess) -> StatusResult:
    """The status without a campaign, before the first one or after its end."""
    phase, next_step = "none", "Begin a campaign with start_campaign; paths are Solidity files, folders or a project."
    if access.phase:
        phase, next_step = access.phase, "wait_for_event waits until the campaign runs."
    elif access.failure:
        phase, next_step = "failed", CORRECT
    return StatusResult(
        phase=phase,
        running=bool(access.phase),
        paused=False,
        target="",
        test_mode="",
        seconds=0,
        calls=0,
        calls_per_second=0,
        age=0,
        call_limit=None,
        time_limit=None,
        seconds_since_new_coverage=None,
        tests=TestCounts(0, 0, 0, 0, 0, 0),
        findings=(),
        coverage=CoverageFigures(0, None, None, None),
        corpus=CorpusFigures(0, 0),
        workers=(),
        since_last_call=Deltas(0, 0, 0, 0, 0, ()),
        failure=access.failure or None,
        next_step=next_step,
    )


def _test_counts(status: CampaignStatus) -> TestCounts:
    tests = [record for record in status.tests if record.parent < 0]
    states = [record.state for record in tests]
    return TestCounts(
        total=len(states),
        open=states.count("open"),
        falsified=sum(record.falsified for record in tests),
        passed=states.count("passed"),
        skipped=states.count("skipped"),
        error=states.count("error"),
    )


def target_of(parts: CampaignComponents, page: PageInput) -> TargetResult:
    """The deployed contracts that are called, and tests: one page of the functions and of the tests. Empty until a
    worker has deployed them."""
    settings, ready = parts.settings, parts.campaign.ready
    known, tests = parts.campaign.priorities.statistics().functions, parts.campaign.status().tests
    payable = {info.signature for info in ready.functions if info.payable} if ready else set()
    functions: dict[str, list[FunctionFacts]] = {}
    for each in page.page(known):
        facts = FunctionFacts(each.signature, each.signature in payable, each.prioritized, each.excluded)
        functions.setdefault(each.contract, []).append(facts)
    addresses = {label.rpartition(":")[2]: address for address, label in ready.addresses} if ready else {}
    return TargetResult(
        contract=settings.contract,
        test_mode=settings.test_mode,
        sequence_length=settings.sequence_length,
        seed=str(parts.seed),
        senders=tuple(f"0x{sender.hex()}" for sender in settings.senders),
        contracts=tuple(
            ContractFacts(name, f"0x{addresses[name].hex()}" if name in addresses else "", tuple(facts))
            for name, facts in functions.items()
        ),
        tests=tuple(TestFacts(finding_id(record), record.info.kind, record.state) for record in page.page(tests)),
        functions_total=len(known),
        tests_total=len(tests),
        next_offset=page.next_offset(max(len(known), len(tests))),
    )
