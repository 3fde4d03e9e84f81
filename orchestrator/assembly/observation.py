"""User-facing view of a campaign: its status as a `CampaignSnapshot`, its events as sentences."""

from __future__ import annotations

from collections import deque

import msgspec
import trio

from actors.campaign.actor import Campaign
from actors.campaign.status import CampaignStatus, WorkerStatus
from actors.campaign.tests import TestRecord
from actors.coverage.report import CoverageReport
from actors.events.types import (
    AnyEvent,
    CampaignResumed,
    ChainForked,
    CheckpointFailed,
    CheckpointIgnored,
    CheckpointRestored,
    CorpusFileSkipped,
    CorpusMinimised,
    EventFileFailed,
    EventFileRestored,
    FuzzingResumed,
    PropertyFalsified,
    Steered,
    TestDecided,
    Warned,
    WorkerRestarting,
    WorkerStopped,
)
from orchestrator.assembly.wiring import Actors
from orchestrator.configuration.request import CampaignRequest
from orchestrator.report.build import reproducer
from orchestrator.report.text import call_line
from orchestrator.snapshot import (
    CampaignSnapshot,
    FindingSnapshot,
    Phase,
    ShrinkSnapshot,
    TestSnapshot,
    WorkerSnapshot,
    WorkerState,
)

_MAX_MESSAGES = 50
_QUIET_ENDS = frozenset({"as told", "refused the target"})
_WORK_STATES: dict[str, WorkerState] = {"fuzz": "fuzzing", "replay": "replaying", "shrink": "shrinking"}
_OTHER_STATES: dict[str, WorkerState] = {"idle": "idle", "restarting": "restarting", "stopped": "stopped"}


class Observation:
    """Follows one campaign through its phases; `read` is called by whatever shows it."""

    def __init__(self, request: CampaignRequest) -> None:
        self._request = request
        self._started = trio.current_time()
        self._target = " ".join(path.resolve().name or str(path) for path in request.paths)
        self._phase: Phase = "compiling"
        self._activity = ""
        self._actors: Actors | None = None
        self._cursor = 0
        self._messages: deque[str] = deque(maxlen=_MAX_MESSAGES)
        self._message_count = 0

    def tell(self, activity: str) -> None:
        """Describe the current phase in a few words. May be called from any thread."""
        self._activity = activity

    def say(self, message: str) -> None:
        """A sentence for users, shown once."""
        self._messages.append(message)
        self._message_count += 1

    def say_loaded(self, sequences: int) -> None:
        """Describe the corpus folder. An empty one is mentioned only when resuming."""
        folder = self._request.corpus_directory
        if sequences:
            self.say(f"Loaded {sequences:,} sequence{'' if sequences == 1 else 's'} from {folder}")
        elif self._request.resume:
            self.say(f"There is nothing to resume: {folder} holds no sequences")

    def enter(self, phase: Phase, *, target: str | None = None) -> None:
        """A phase that is not the campaign's own."""
        self._phase, self._activity = phase, ""
        self._target = target or self._target

    def follow(self, actors: Actors, request: CampaignRequest) -> None:
        """From now on the figures are those of these actors; `request` is what they were made for."""
        self._actors, self._request = actors, request

    def read(self) -> CampaignSnapshot:
        """This moment. Never blocks."""
        base = CampaignSnapshot(
            target=self._target,
            mode=self._request.configuration.test_mode or "",
            phase=self._phase,
            seed=self._request.seed,
            elapsed=trio.current_time() - self._started,
            activity=self._activity,
            call_limit=self._request.call_limit,
            time_limit=self._request.time_limit,
        )
        if self._actors is None:
            return self._with_messages(base)
        status = self._actors.campaign.status()
        self._collect_messages(self._actors, status.failure)
        return self._with_messages(self._with_figures(base, status, self._actors.coverage.latest))

    def campaign(self) -> Campaign | None:
        """The campaign to command; None before there is one."""
        return self._actors.campaign if self._actors is not None else None

    def findings(self) -> tuple[FindingSnapshot, ...]:
        """Return the findings so far, in the order in which they were found."""
        if self._actors is None:
            return ()
        book = self._actors.deployment.book()
        return tuple(
            FindingSnapshot(
                record.info.name,
                record.site,
                record.reason,
                tuple(call_line(call) for call in reproducer(record.sequence, book)),
            )
            for record in self._actors.campaign.status().tests
            if record.falsified
        )

    def _with_messages(self, snapshot: CampaignSnapshot) -> CampaignSnapshot:
        return msgspec.structs.replace(snapshot, messages=tuple(self._messages), message_count=self._message_count)

    def _with_figures(
        self, snapshot: CampaignSnapshot, status: CampaignStatus, coverage: CoverageReport
    ) -> CampaignSnapshot:
        limit = self._request.configuration.shrink_limit
        return msgspec.structs.replace(
            snapshot,
            phase=snapshot.phase if snapshot.phase == "reporting" else _phase(status),
            fuzzing_seconds=status.seconds,
            calls=status.calls,
            calls_per_second=status.rate,
            age=status.age,
            mean_calls_per_second=status.calls / status.seconds if status.seconds > 0 else 0.0,
            coverage_points=status.coverage.points,
            lines_covered=coverage.lines_hit if coverage.files else None,
            lines_total=coverage.lines_found if coverage.files else None,
            seconds_since_coverage=status.seconds_since_coverage,
            corpus_sequences=status.corpus.sequences,
            tests=tuple(_test(record, status) for record in status.tests if record.parent < 0),
            workers=tuple(_worker(worker) for worker in status.workers),
            shrinks=tuple(_shrinks(status, limit)),
            paused=status.paused,
            wanted_workers=sum(not worker.ended for worker in status.workers),
            contracts=coverage.summary.contracts,
        )

    def _collect_messages(self, actors: Actors, failure: str | None) -> None:
        for logged in actors.log.since(self._cursor):
            self._cursor = logged.cursor
            if isinstance(logged.event, WorkerStopped) and logged.event.reason == failure:
                # The report or the error at the end says it.
                continue
            if (text := describe(logged.worker, logged.event)) is not None:
                self.say(text)


def describe(worker: int, event: AnyEvent) -> str | None:
    """An event as a sentence; None for what figures show better."""
    match event:
        case PropertyFalsified():
            value = f" = {event.value}" if event.value else ""
            place = _calls(len(event.counterexample)) if event.counterexample else "right after deployment"
            site = f" at {event.site}" if event.site else ""
            return f"{event.property}{value}: {event.reason}{site} ({place})"
        case TestDecided(status="solved") if event.counterexample:
            return f"{event.property}: shrunk to {_calls(len(event.counterexample))}"
        case WorkerRestarting():
            return f"{event.reason}; it is replaced"
        case WorkerStopped() if event.reason not in _QUIET_ENDS:
            name = f"worker {worker}"
            reason = f"it{event.reason.removeprefix(name)}" if event.reason.startswith(name + " ") else event.reason
            return f"{name} is given up: {reason}"
        case ChainForked():
            source = f", from the cache alone: {event.offline}" if event.offline else ""
            return f"Forked chain {event.chain} at block {event.block} ({event.hash}){source}"
        case Steered():
            return f"{event.command}: {event.detail}" if event.detail else event.command
        case CampaignResumed():
            known = f"{event.tests:,} tests known, {event.decided:,} of them with a finding"
            return f"Resuming the campaign of {event.saved}: {event.calls:,} calls in {event.seconds:,.0f} s, {known}"
        case CheckpointIgnored():
            return f"Not resumed, the campaign begins with the corpus alone: {event.reason}"
        case FuzzingResumed():
            return f"Fuzzing continues after {event.seconds:.1f} s, {event.sequences:,} sequences replayed"
        case CheckpointFailed():
            return f"warning: {event.path}: the campaign continues without a checkpoint for now: {event.reason}"
        case CheckpointRestored():
            return f"{event.path}: checkpoints are written again"
        case Warned():
            return f"warning: {event.message}"
        case CorpusFileSkipped():
            return f"warning: {event.reason}; the file is left as it is"
        case CorpusMinimised() if event.superseded:
            return f"{event.superseded:,} corpus entries were set aside; {event.sequences:,} cover the same"
        case EventFileFailed():
            return f"warning: {event.path}: events are kept in memory for now: {event.reason}"
        case EventFileRestored():
            return f"{event.path}: events are written again; {event.lost:,} were lost"
        case _:
            return None


def _calls(count: int) -> str:
    return f"{count} call{'' if count == 1 else 's'}"


def _phase(status: CampaignStatus) -> Phase:
    return "replaying" if status.phase == "replaying corpus" else status.phase


def _test(record: TestRecord, status: CampaignStatus) -> TestSnapshot:
    """A test together with its further failures."""
    further = [other for other in status.tests if other.parent == record.info.id]
    detail = record.value if record.info.kind == "optimization" else record.reason
    if further:
        detail = f"{detail}; {len(further) + 1} places"
    state = record.state
    if record.info.kind == "optimization" and state == "solved":
        state = "passed"
    if state == "solved" and any(other.state == "shrinking" for other in further):
        state = "shrinking"
    return TestSnapshot(record.info.name, state, detail)


def _worker(worker: WorkerStatus) -> WorkerSnapshot:
    figures = worker.statistics
    state: WorkerState = _WORK_STATES.get(worker.work) or _OTHER_STATES.get(figures.state, "starting")
    rate = figures.rate if worker.work else 0.0
    age = figures.age if worker.work else 0.0
    return WorkerSnapshot(figures.index, state, rate, figures.resident, worker.restarts, age, figures.node)


def _shrinks(status: CampaignStatus, limit: int) -> list[ShrinkSnapshot]:
    shrinks = []
    for worker in status.workers:
        if worker.shrinking is not None:
            record = status.tests[worker.shrinking]
            index = worker.statistics.index
            shrinks.append(ShrinkSnapshot(record.info.name, index, record.attempts, limit, len(record.sequence)))
    return shrinks
