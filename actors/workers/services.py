"""Services and limits of fuzz workers, the same for all slots of a campaign."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import msgspec

from actors.corpus.keeper import CorpusKeeper
from actors.coverage.tracker import CoverageTracker
from actors.events.log import EventLog
from actors.priorities.manager import PriorityManager
from actors.runtime.mailbox import MailboxStatistics, Outbox
from actors.runtime.supervisor import RestartPolicy
from actors.workers.process import Spawner
from actors.workers.quarantine import Quarantine
from actors.workers.reports import AnyWorkerReport
from simulator.settings import CampaignSettings


@dataclass(frozen=True)
class WorkerLimits:
    """Seconds: for the first frame, for deployment (which may build the kernel), between frames during work, for ending
    work when interrupted, for leaving when requested; between two measurements. `memory` bytes resident, after which a
    process is killed and replaced; `recycle` calls, after which one is replaced in good order; 0 for no limit.
    """

    hello: float = 20.0
    deploy: float = 300.0
    silence: float = 30.0
    interrupt: float = 15.0
    leave: float = 1.0
    measure: float = 1.0
    memory: int = 0
    recycle: int = 0


@dataclass(frozen=True)
class WorkerServices:
    """Services of a fuzz worker, and its construction."""

    spawner: Spawner
    campaign: Outbox[AnyWorkerReport]
    keeper: CorpusKeeper
    tracker: CoverageTracker
    log: EventLog
    project: bytes
    settings: CampaignSettings
    seed: int
    rng: random.Random
    priorities: PriorityManager = field(default_factory=PriorityManager)
    quarantine: Quarantine = field(default_factory=Quarantine)
    limits: WorkerLimits = field(default_factory=WorkerLimits)
    policy: RestartPolicy = field(default_factory=RestartPolicy)


class WorkerStatistics(msgspec.Struct, frozen=True):
    """`calls` over all processes of this slot, `rate` calls a second lately, `state` in a word for users. `age` is how
    many seconds ago a worker with work was last heard of: its calls are of that time. `gas` is what all calls used.
    `node` is the machine of its process, empty for this one."""

    index: int
    state: str
    pid: int
    incarnation: int
    calls: int
    rate: float
    resident: int
    cpu: float
    commands: MailboxStatistics
    age: float = 0.0
    gas: int = 0
    node: str = ""


def worker_seed(seed: int, index: int, incarnation: int) -> int:
    """The seed of one process: the campaign's plus the worker's index, as in Echidna, for the first process of a
    slot. Replacements get others, as their predecessor may have crashed on what it generated. 0..2**63-1."""
    if incarnation == 0:
        return (seed + index) % 2**63
    return random.Random(f"{seed}/{index}/{incarnation}").getrandbits(63)
