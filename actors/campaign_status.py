"""What the campaign actor tells about itself: frozen values, made when asked for."""

from __future__ import annotations

import msgspec

from actors.corpus_keeper import CorpusStatistics
from actors.coverage_tracker import CoverageStatistics
from actors.event_log import EventLogStatistics
from actors.mailbox import MailboxStatistics
from actors.messages import Phase, StopReason
from actors.quarantine import QuarantineStatistics
from actors.steering import Limits
from actors.test_table import TestRecord
from actors.worker_services import WorkerStatistics
from simulator.worker.protocol import Ready


class WorkerStatus(msgspec.Struct, frozen=True):
    """One slot. `work` is what it has in hand: `fuzz`, `replay`, `shrink`, or empty; `restarts` processes were lost;
    `shrinking` is the test it shrinks."""

    statistics: WorkerStatistics
    work: str
    restarts: int
    ended: bool
    shrinking: int | None = None


class SteeringStatistics(msgspec.Struct, frozen=True):
    """Sequences injected so far, of which `unanswered` have not been executed by every worker yet; templates in use;
    dictionary commands; concrete executions under way."""

    injected: int = 0
    unanswered: int = 0
    templates: int = 0
    lessons: int = 0
    executing: int = 0


class CampaignStatus(msgspec.Struct, frozen=True):
    """A campaign at one moment. Seconds are counted from the first worker's readiness; `calls` are those of the
    budget, the pieces in hand included as far as heartbeats told. `failure` is that of `CampaignEnd`, once there is
    one."""

    phase: Phase
    seconds: float
    calls: int
    call_limit: int | None
    time_limit: float | None
    rate: float
    seconds_since_coverage: float | None
    paused: bool
    tests: tuple[TestRecord, ...]
    workers: tuple[WorkerStatus, ...]
    corpus: CorpusStatistics
    coverage: CoverageStatistics
    events: EventLogStatistics
    mailbox: MailboxStatistics
    failure: str | None = None
    limits: Limits = Limits(None, None, None, 0)
    steering: SteeringStatistics = SteeringStatistics()
    quarantine: QuarantineStatistics = QuarantineStatistics(0, 0)


class CampaignEnd(msgspec.Struct, frozen=True):
    """How a campaign ended. `ready` is None when no worker ever deployed the target; `failure` says why a campaign
    could not be carried out, and `refusal` is the simulator's error code when the target was refused."""

    reason: StopReason
    calls: int
    seconds: float
    tests: tuple[TestRecord, ...]
    ready: Ready | None
    failure: str | None = None
    refusal: str | None = None
