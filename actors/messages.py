"""What the actors tell each other: frozen values in tagged unions.

Reports are what a fuzz worker sends to the campaign; commands are what anybody may send to the campaign. Events, which
both lead to, are in `actors.events`, and can be had here as well.
"""

from __future__ import annotations

import msgspec

from actors.events import (
    CAMPAIGN,
    AnyEvent,
    CampaignResumed,
    CampaignStopped,
    ChainForked,
    CheckpointFailed,
    CheckpointIgnored,
    CheckpointRestored,
    CorpusFileSkipped,
    CorpusMinimised,
    CoverageIncreased,
    Event,
    EventFileFailed,
    EventFileRestored,
    FuzzingResumed,
    LoggedEvent,
    Phase,
    PhaseChanged,
    PropertyFalsified,
    ShrinkProgress,
    Steered,
    StopReason,
    TestDecided,
    TransactionExecuted,
    Warned,
    WorkerRestarting,
    WorkerStarted,
    WorkerStopped,
)
from actors.mailbox import Ask
from actors.steering import AnyCommand
from simulator.transaction import Sequence
from simulator.worker.protocol import Done, Executed, Falsified, Injected, Obeyed, Ready, Shrunk

__all__ = [
    "CAMPAIGN",
    "AnyEvent",
    "AnyWorkerReport",
    "CampaignCommand",
    "CampaignMessage",
    "CampaignResumed",
    "CampaignStopped",
    "ChainForked",
    "CheckpointFailed",
    "CheckpointIgnored",
    "CheckpointRestored",
    "ClockRang",
    "CorpusFileSkipped",
    "CorpusMinimised",
    "CoverageIncreased",
    "EntryKept",
    "Event",
    "EventCaused",
    "EventFileFailed",
    "EventFileRestored",
    "FuzzingResumed",
    "LoggedEvent",
    "PauseCampaign",
    "Phase",
    "PhaseChanged",
    "PropertyFalsified",
    "ResumeCampaign",
    "ShrinkProgress",
    "Steered",
    "StopCampaign",
    "StopReason",
    "TestDecided",
    "TransactionExecuted",
    "Warned",
    "WorkerDown",
    "WorkerEnded",
    "WorkerReady",
    "WorkerReport",
    "WorkerRestarting",
    "WorkerSaid",
    "WorkerStarted",
    "WorkerStopped",
    "WorkerWarned",
]

# --- from a fuzz worker to the campaign ------------------------------------------------------------------------------


class WorkerReport(msgspec.Struct, frozen=True):
    """Base. Reports of one worker arrive in the order in which its process caused them."""

    worker: int


class WorkerReady(WorkerReport, frozen=True):
    incarnation: int
    seed: int
    ready: Ready


class WorkerSaid(WorkerReport, frozen=True):
    """A frame that the campaign decides on."""

    frame: Falsified | Shrunk | Done | Executed | Injected | Obeyed


class EntryKept(WorkerReport, frozen=True):
    """A sequence of this worker is in the corpus, and on disk where there is a folder. `new` is false for one that was
    there already. Totals are the corpus's after it."""

    new: bool
    points: int
    codes: int
    sequences: int
    transactions: int


class WorkerWarned(WorkerReport, frozen=True):
    message: str


class EventCaused(WorkerReport, frozen=True):
    """Something that happened in another actor because of this worker; it is logged as the campaign's."""

    event: AnyEvent


class WorkerDown(WorkerReport, frozen=True):
    """The process is gone; the work in hand is lost after `calls` calls of it. A replacement follows after `delay`.
    `executed` is the sequence that it was executing, up to the call that it had come to, as far as that is known."""

    reason: str
    delay: float
    calls: int
    executed: Sequence = ()


class WorkerEnded(WorkerReport, frozen=True):
    """The worker will not come back: it stopped as told (`failure` None), or its restarts are used up, or it refused
    the target (`refusal` is the simulator's error code). `executed` as of `WorkerDown`."""

    failure: str | None
    refusal: str | None = None
    executed: Sequence = ()


AnyWorkerReport = WorkerReady | WorkerSaid | EntryKept | WorkerWarned | EventCaused | WorkerDown | WorkerEnded

# --- commands to the campaign ----------------------------------------------------------------------------------------


class StopCampaign(msgspec.Struct, frozen=True, tag=True):
    """End after the native batches in hand. No further shrinking; what was found is kept."""

    reason: StopReason


class PauseCampaign(msgspec.Struct, frozen=True, tag=True):
    """Give out no more work; the work in hand is interrupted. Time goes on counting against the budget."""


class ResumeCampaign(msgspec.Struct, frozen=True, tag=True):
    """Give out work again."""


class ClockRang(msgspec.Struct, frozen=True, tag=True):
    """The campaign's own clock: a limit of time may have passed."""


CampaignCommand = StopCampaign | PauseCampaign | ResumeCampaign | ClockRang
CampaignMessage = AnyWorkerReport | CampaignCommand | Ask[AnyCommand, object]
