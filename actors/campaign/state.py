"""State that a campaign needs to resume in another process: plain values, kept by a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from actors.campaign.tests import TestRecord
from actors.campaign.worker_steering import SteeringState
from actors.coverage.function_table import FunctionTotals
from actors.steering.commands import Limits


class CampaignState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One moment of a campaign. `calls` and `seconds` of its budget are used; `workers` there are to be. `processes`
    holds, by worker index, how many processes each worker has had: a worker that continues gets the seed of its next
    one, so that it does not draw again what was drawn before. `functions` are counts over all its processes,
    `gas` is what the calls used.
    """

    calls: int
    seconds: float
    limits: Limits
    tests: tuple[TestRecord, ...]
    steering: SteeringState
    workers: int
    processes: tuple[int, ...]
    functions: tuple[FunctionTotals, ...] = ()
    gas: int = 0


@dataclass(frozen=True)
class Earlier:
    """The campaign that is continued. `began` is when this program took it up, of trio's clock."""

    state: CampaignState
    began: float
