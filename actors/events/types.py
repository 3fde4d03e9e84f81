"""Events of a campaign, as kept by the event log and `events.jsonl`: frozen values in a tagged union."""

from __future__ import annotations

from enum import Enum
from typing import Literal

import msgspec

from simulator.fuzz.checking.oracles import TestKind
from simulator.transaction import Sequence

Phase = Literal["compiling", "deploying", "replaying corpus", "fuzzing", "shrinking", "idle", "reporting", "finished"]
CAMPAIGN = -1
"""Stands where an event has no worker."""


class StopReason(Enum):
    """Reason for the end of a campaign; the value is shown to users."""

    RUNNING = "still running"
    TEST_LIMIT = "test limit reached"
    TIMEOUT = "time limit reached"
    NO_NEW_COVERAGE = "nothing new was covered for as long as the limit allows"
    ALL_TESTS_CLOSED = "every test is decided"
    STOP_ON_FAIL = "a test failed and stopOnFail is set"
    REQUESTED = "stopped on request"
    INTERRUPTED = "interrupted"
    NO_WORKERS = "no worker could be kept running"
    REFUSED = "the target cannot be fuzzed"
    NOTHING_TO_CALL = "there is nothing to call but tests, which were checked in the deployed state"
    CHAIN_LOST = "the forked chain is out of reach"
    FAILED = "an error ended the campaign"


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of all events."""


class PhaseChanged(Event, frozen=True, tag="PhaseChanged"):
    phase: Phase


class ChainForked(Event, frozen=True, tag="ChainForked"):
    """The block that the whole campaign forks. `offline` says why no endpoint was asked, where only the cache holds its
    state."""

    chain: int
    block: int
    hash: str
    offline: str = ""


class CampaignResumed(Event, frozen=True, tag="CampaignResumed"):
    """This campaign continues the interrupted one that a checkpoint describes. `campaign` is its id, `saved` when
    the checkpoint was written, `tests` how many tests it knew and `decided` those of them with a finding; `sequences`
    of the corpus are replayed first."""

    campaign: str
    saved: str
    calls: int
    seconds: float
    tests: int
    decided: int
    sequences: int


class CheckpointIgnored(Event, frozen=True, tag="CheckpointIgnored"):
    """A campaign was to be resumed and cannot: it begins anew with the corpus alone. `reason` says why."""

    reason: str


class FuzzingResumed(Event, frozen=True, tag="FuzzingResumed"):
    """The first call that was not made before follows, `seconds` after the program took the campaign up."""

    seconds: float
    sequences: int


class CheckpointFailed(Event, frozen=True, tag="CheckpointFailed"):
    """The checkpoint cannot be written. The campaign continues, and the write is retried."""

    path: str
    reason: str


class CheckpointRestored(Event, frozen=True, tag="CheckpointRestored"):
    """The checkpoint can be written again."""

    path: str


class WorkerStarted(Event, frozen=True, tag="WorkerStarted", omit_defaults=True):
    """A worker has deployed the target. `incarnation` counts the processes of this worker from 0. `node` is the machine
    of one on a cluster."""

    seed: int
    incarnation: int
    node: str = ""


class WorkerRestarting(Event, frozen=True, tag="WorkerRestarting"):
    """A worker's process is gone and is replaced `delay` seconds later."""

    reason: str
    delay: float


class WorkerStopped(Event, frozen=True, tag="WorkerStopped"):
    """The worker will not come back in this campaign."""

    reason: str


class CoverageIncreased(Event, frozen=True, tag="CoverageIncreased"):
    """A worker brought a sequence that covers something new; figures are the campaign's after it. `entry` is the id of
    the sequence in the corpus, `function` what its last call calls, empty where that is not clear. `location` is the
    `path:line` of the first new statement and `inside` its `Contract.function`, empty where no statement is new. While
    the sources are not mapped yet, `code` and `cells` say what to look up instead."""

    points: int
    codes: int
    sequences: int
    transactions: int
    function: str = ""
    entry: str = ""
    location: str = ""
    inside: str = ""
    code: int = -1
    cells: tuple[int, ...] = ()


class PropertyFalsified(Event, frozen=True, tag="PropertyFalsified"):
    """A test failed for the first time at a site, or an optimization improved to `value`. `test` is the finding's
    number: that of the test for its first failure."""

    test: int
    property: str
    kind: TestKind
    contract: str
    reason: str
    counterexample: Sequence
    value: str = ""
    gas_used: int = 0
    site: str = ""


class ShrinkProgress(Event, frozen=True, tag="ShrinkProgress"):
    test: int
    property: str
    calls: int
    attempts: int


class TestDecided(Event, frozen=True, tag="TestDecided"):
    """The last word on a test."""

    __test__ = False

    test: int
    property: str
    status: str
    counterexample: Sequence = ()


class TransactionExecuted(Event, frozen=True, tag="TransactionExecuted"):
    """Telemetry: `calls` transactions, `reverted` of them reverted, since the worker's last event of this type."""

    calls: int
    reverted: int


class Steered(Event, frozen=True, tag="Steered"):
    """A steering command: its name, and its effect in a few words."""

    command: str
    detail: str


class Warned(Event, frozen=True, tag="Warned"):
    message: str


class EventFileFailed(Event, frozen=True, tag="EventFileFailed"):
    """The event file cannot be written. Events are kept in memory and writing is tried again."""

    path: str
    reason: str


class EventFileRestored(Event, frozen=True, tag="EventFileRestored"):
    """The event file can be written again; `lost` lines of this campaign are missing from it."""

    path: str
    lost: int


class CorpusFileSkipped(Event, frozen=True, tag="CorpusFileSkipped"):
    """A file of the corpus folder was left alone, because it cannot be read or is no sequence; `reason` names it."""

    reason: str


class CorpusMinimised(Event, frozen=True, tag="CorpusMinimised"):
    """Entries whose coverage others have were set aside; their files are in `superseded/`. Totals are those after."""

    superseded: int
    sequences: int
    transactions: int


class MutantSurvived(Event, frozen=True, tag="MutantSurvived"):
    """A faulty version of the code under test that no test noticed; `id` is that of `get_mutant`."""

    id: str
    file: str
    line: int
    description: str


class CampaignStopped(Event, frozen=True, tag="CampaignStopped"):
    """No further work is assigned. `failure` says why the campaign could not run, or not to its end."""

    reason: str
    failure: str = ""


AnyEvent = (
    PhaseChanged
    | ChainForked
    | CampaignResumed
    | CheckpointIgnored
    | FuzzingResumed
    | CheckpointFailed
    | CheckpointRestored
    | WorkerStarted
    | WorkerRestarting
    | WorkerStopped
    | CoverageIncreased
    | PropertyFalsified
    | ShrinkProgress
    | TestDecided
    | TransactionExecuted
    | Steered
    | Warned
    | EventFileFailed
    | EventFileRestored
    | CorpusFileSkipped
    | CorpusMinimised
    | MutantSurvived
    | CampaignStopped
)


class LoggedEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`cursor` counts all events from 1; `time` is Unix seconds and never decreases from one event to the next."""

    cursor: int
    time: float
    worker: int
    event: AnyEvent
