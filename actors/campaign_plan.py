"""What a campaign is made with: its limits, and what it reaches outside."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from actors.call_reader import CallReader
from actors.campaign_status import CampaignEnd

Dump = Callable[[CampaignEnd], Awaitable[Sequence[str]]]


@dataclass(frozen=True)
class CampaignPlan:
    """The limits of a campaign: calls over all workers, seconds of fuzzing, executions for each shrink, seconds without
    new coverage. `stops` are numbers of calls at which it holds still until it is told to go on."""

    call_limit: int | None
    time_limit: float | None
    shrink_limit: int
    stop_on_fail: bool = False
    shrink_grace: float = 30.0
    coverage_limit: float | None = None
    stops: tuple[int, ...] = ()


@dataclass(frozen=True)
class CampaignPorts:
    """What steering reaches outside: how calls are read, and who writes reports of a campaign as it stands (answering
    with the files; raises `ActorError`)."""

    reader: CallReader = field(default_factory=lambda: CallReader(lambda: ()))
    dump: Dump | None = None
