"""Status reported by the campaign actor: frozen values, created on request."""

from __future__ import annotations

import msgspec

from actors.campaign.tests import TestRecord
from actors.corpus.keeper import CorpusStatistics
from actors.coverage.tracker import CoverageStatistics
from actors.events.log import EventLogStatistics
from actors.events.types import Phase, StopReason
from actors.runtime.mailbox import MailboxStatistics
from actors.steering.commands import Limits
from actors.workers.quarantine import QuarantineStatistics
from actors.workers.services import WorkerStatistics
from simulator.worker.reports import Ready


class WorkerStatus(msgspec.Struct, frozen=True):
    """One slot. `work` is its current work: `fuzz`, `replay`, `shrink`, or empty; `restarts` processes were lost;
    `shrinking` is the test it shrinks."""

    statistics: WorkerStatistics
    work: str
    restarts: int
    ended: bool
    shrinking: int | None = None


class SteeringStatistics(msgspec.Struct, frozen=True):
    """Sequences injected so far, of which `unanswered` have not been executed by every worker yet; templates in use;
    dictionary commands; concrete executions under way; words that the dictionary has from users."""

    injected: int = 0
    unanswered: int = 0
    templates: int = 0
    dictionary_additions: int = 0
    executing: int = 0
    words: int = 0


class CampaignStatus(msgspec.Struct, frozen=True):
    """A campaign at one moment. Seconds are counted from the first worker's readiness; `calls` are those of the
    budget, including current pieces as of the last heartbeats. `age` is how many seconds ago the worker that is
    silent longest was heard of. `ended` says why it no longer fuzzes, empty while it does; `failure` is that of
    `CampaignEnd`, once there is one."""

    phase: Phase
    seconds: float
    calls: int
    call_limit: int | None
    time_limit: float | None
    rate: float
    age: float
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
    ended: str = ""


class CampaignEnd(msgspec.Struct, frozen=True):
    """Outcome of a campaign. `ready` is None when no worker ever deployed the target; `failure` says why a campaign
    could not be carried out, and `refusal` is the simulator's error code when the target was refused. `gas` is what all
    calls used, as far as workers reported it. `nodes` are the machines of the workers' last processes, by the number of
    the worker; empty for this one."""

    reason: StopReason
    calls: int
    seconds: float
    tests: tuple[TestRecord, ...]
    ready: Ready | None
    failure: str | None = None
    refusal: str | None = None
    gas: int = 0
    nodes: tuple[str, ...] = ()
