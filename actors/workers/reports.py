"""Reports of a fuzz worker to the campaign: frozen values in one tagged union."""

from __future__ import annotations

import msgspec

from actors.coverage.places import NewPlace
from actors.events.types import AnyEvent
from simulator.transaction import Sequence
from simulator.worker.reports import Done, Executed, Falsified, Injected, Obeyed, Presumed, Ready, Shrunk, Skipped


class WorkerReport(msgspec.Struct, frozen=True):
    """Base. Reports of one worker arrive in the order in which its process caused them."""

    worker: int


class WorkerReady(WorkerReport, frozen=True):
    """`node` is the machine of the process, empty for this one."""

    incarnation: int
    seed: int
    ready: Ready
    node: str = ""


class WorkerReported(WorkerReport, frozen=True):
    """A frame that the campaign decides on."""

    frame: Falsified | Skipped | Presumed | Shrunk | Done | Executed | Injected | Obeyed


class EntryKept(WorkerReport, frozen=True):
    """A sequence of this worker is in the corpus, and on disk where there is a folder. `new` is false for one that was
    there already. Totals are the corpus's after it. `function`, `entry` and `place` as of `CoverageIncreased`."""

    new: bool
    points: int
    codes: int
    sequences: int
    transactions: int
    function: str = ""
    entry: str = ""
    place: NewPlace = NewPlace()


class WorkerWarned(WorkerReport, frozen=True):
    message: str


class EventCaused(WorkerReport, frozen=True):
    """Something that happened in another actor because of this worker; it is logged as the campaign's."""

    event: AnyEvent


class WorkerDown(WorkerReport, frozen=True):
    """The process is dead; the current work is lost after `calls` calls of it. A replacement follows after `delay`.
    `executed` is the sequence that it was executing, up to the call that it had come to, as far as that is known. With
    `cut_off` nothing that it executed is to blame: its machine was lost."""

    reason: str
    delay: float
    calls: int
    executed: Sequence = ()
    cut_off: bool = False


class WorkerEnded(WorkerReport, frozen=True):
    """The worker will not be restarted: it stopped as requested (`failure` None), or its restarts are used up, or it
    refused the target (`refusal` is the simulator's error code). `executed` as of `WorkerDown`.
    """

    failure: str | None
    refusal: str | None = None
    executed: Sequence = ()


AnyWorkerReport = WorkerReady | WorkerReported | EntryKept | WorkerWarned | EventCaused | WorkerDown | WorkerEnded
