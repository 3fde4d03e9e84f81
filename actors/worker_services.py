"""What fuzz workers are made of and bounded by, the same for all slots of a campaign."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from actors.corpus_keeper import CorpusKeeper
from actors.coverage_tracker import CoverageTracker
from actors.event_log import EventLog
from actors.mailbox import Mailbox, MailboxStatistics
from actors.messages import CampaignMessage
from actors.supervisor import RestartPolicy
from actors.worker_process import Spawner
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence

ADOPT_BYTES = 1 << 20


@dataclass(frozen=True)
class WorkerLimits:
    """Seconds: for the first frame, for deployment (which may build the kernel), between frames during work, for
    ending work when interrupted, for leaving when told; between two measurements. `memory` bytes resident, 0 for no
    limit."""

    hello: float = 20.0
    deploy: float = 300.0
    silence: float = 30.0
    interrupt: float = 15.0
    leave: float = 1.0
    measure: float = 1.0
    memory: int = 0


@dataclass(frozen=True)
class WorkerServices:
    """What a fuzz worker talks to, and how it is made."""

    spawner: Spawner
    campaign: Mailbox[CampaignMessage]
    keeper: CorpusKeeper
    tracker: CoverageTracker
    log: EventLog
    project: str
    settings: CampaignSettings
    seed: int
    rng: random.Random
    limits: WorkerLimits = field(default_factory=WorkerLimits)
    policy: RestartPolicy = field(default_factory=RestartPolicy)


class WorkerStatistics(msgspec.Struct, frozen=True):
    """`calls` over all processes of this slot, `rate` calls a second lately, `state` in a word for people."""

    index: int
    state: str
    pid: int
    incarnation: int
    calls: int
    rate: float
    resident: int
    cpu: float
    commands: MailboxStatistics


def worker_seed(seed: int, index: int, incarnation: int) -> int:
    """The seed of one process: the campaign's plus the worker's index, as in Echidna, for the first process of a
    slot. Replacements get others, as their predecessor may have crashed on what it generated. 0..2**63-1."""
    if incarnation == 0:
        return (seed + index) % 2**63
    return random.Random(f"{seed}/{index}/{incarnation}").getrandbits(63)


def sequence_groups(sequences: tuple[Sequence, ...], most: int = 64) -> Iterable[tuple[Sequence, ...]]:
    """Cut into groups of at most `most` sequences and about `ADOPT_BYTES` of calldata, well below a frame's limit."""
    group: list[Sequence] = []
    size = 0
    for sequence in sequences:
        weight = sum(len(transaction.data) + 128 for transaction in sequence)
        if group and (len(group) >= most or size + weight > ADOPT_BYTES):
            yield tuple(group)
            group, size = [], 0
        group.append(sequence)
        size += weight
    if group:
        yield tuple(group)
