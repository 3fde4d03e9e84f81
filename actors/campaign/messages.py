"""Messages to the campaign actor: what its workers report, what its clock and its users command."""

from __future__ import annotations

import msgspec

from actors.events.types import StopReason
from actors.runtime.mailbox import Ask
from actors.steering.commands import AnyCommand
from actors.workers.reports import AnyWorkerReport


class StopCampaign(msgspec.Struct, frozen=True, tag=True):
    """End after the current native batches. Shrinks nothing further; keeps what was found."""

    reason: StopReason


class ClockRang(msgspec.Struct, frozen=True, tag=True):
    """The campaign's own clock: a time limit may have passed."""


CampaignMessage = AnyWorkerReport | StopCampaign | ClockRang | Ask[AnyCommand, object]
