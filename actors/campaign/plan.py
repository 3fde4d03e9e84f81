"""Parameters of a campaign: its limits and external services."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from actors.campaign.status import CampaignEnd
from actors.steering.call_reader import CallRequestReader
from actors.steering.commands import ClampFunction

Dump = Callable[[CampaignEnd], Awaitable[Sequence[str]]]


@dataclass(frozen=True)
class CampaignPlan:
    """The limits of a campaign: calls over all workers, seconds of fuzzing, executions for each shrink, seconds without
    new coverage. `stops` are numbers of calls at which it halts until it is told to continue. A campaign that
    `stays_open` becomes idle where others end, until it is stopped. One that `begins_paused` fuzzes once it is
    resumed. `clamps` hold from its start on."""

    call_limit: int | None
    time_limit: float | None
    shrink_limit: int
    stop_on_fail: bool = False
    shrink_grace: float = 30.0
    coverage_limit: float | None = None
    stops: tuple[int, ...] = ()
    stays_open: bool = False
    begins_paused: bool = False
    clamps: tuple[ClampFunction, ...] = ()


@dataclass(frozen=True)
class CampaignPorts:
    """External services of steering: the reader of calls, and the writer of reports of a running campaign (answering
    with the files; raises `ActorError`)."""

    reader: CallRequestReader = field(default_factory=lambda: CallRequestReader(lambda: ()))
    dump: Dump | None = None
