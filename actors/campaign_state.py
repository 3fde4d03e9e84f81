"""What a campaign needs of itself to go on in another process: plain values, which a checkpoint keeps."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from actors.function_table import FunctionTotals
from actors.steering import Limits
from actors.steering_desk import DeskState
from actors.test_table import TestRecord


class CampaignState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One moment of a campaign. `calls` and `seconds` of its budget are used; `workers` there are to be. `processes`
    holds, by worker index, how many processes each worker has had: a worker that goes on gets the seed of its next one,
    so that it does not draw again what was drawn before. `functions` are counts over all its processes."""

    calls: int
    seconds: float
    limits: Limits
    tests: tuple[TestRecord, ...]
    steering: DeskState
    workers: int
    processes: tuple[int, ...]
    functions: tuple[FunctionTotals, ...] = ()


@dataclass(frozen=True)
class Earlier:
    """The campaign that is continued. `began` is when this program took it up, of trio's clock."""

    state: CampaignState
    began: float
