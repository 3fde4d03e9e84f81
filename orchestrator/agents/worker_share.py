"""The workers of a server, divided among its campaigns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress

import trio

from actors.campaign.pool import MAX_WORKERS
from actors.runtime.errors import AskTimeout, CampaignEnding, CommandRejected, MailboxClosed
from actors.steering.commands import SetWorkers, WorkerCount
from orchestrator.agents.hosted import HostedCampaign
from tools.campaign.access import CampaignComponents
from tools.errors import ErrorCode, ToolError

LOOK_SECONDS = 0.5
ASK_SECONDS = 5.0


class WorkerShare:
    """`budget` workers are shared evenly by the campaigns that asked for no number, at least one for each. A campaign
    whose number an agent changes keeps that number. `hosted` are the campaigns under way."""

    def __init__(self, budget: int, hosted: Callable[[], Collection[HostedCampaign]]) -> None:
        self.budget = budget
        self._hosted = hosted

    def of_one_more(self) -> int:
        """The part of each when one more begins."""
        return self._part(len(self._sharing()) + 1)

    def check_room(self, wanted: int) -> None:
        """Raises `ToolError` where a campaign with so many workers exceeds what a server may have."""
        taken = sum(each.request.workers for each in self._hosted() if not each.is_sharing)
        if taken + wanted > MAX_WORKERS:
            message = f"workers: the campaigns of this server have {taken} of {MAX_WORKERS} workers; ask for fewer"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="TOO_MANY_WORKERS")

    async def keep(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Let campaigns have their part until cancelled, also when others begin and end."""
        task_status.started()
        while True:
            for each in self._sharing():
                await self._adjust(each, self._part(len(self._sharing())))
            await trio.sleep(LOOK_SECONDS)

    def _sharing(self) -> list[HostedCampaign]:
        return [each for each in self._hosted() if each.is_sharing]

    def _part(self, campaigns: int) -> int:
        return max(1, self.budget // max(1, campaigns))

    async def _adjust(self, hosted: HostedCampaign, part: int) -> None:
        parts = hosted.place.parts
        if part == hosted.given or parts is None or parts.is_over or parts.campaign.ready is None:
            return
        before = await _asked(parts, part)
        if before is not None and before.before != hosted.given:
            # Somebody wanted another number.
            hosted.is_sharing = False
            await _asked(parts, before.before)
        elif before is not None:
            hosted.given = part


async def _asked(parts: CampaignComponents, workers: int) -> WorkerCount | None:
    """None where the campaign ends meanwhile."""
    with suppress(AskTimeout, CampaignEnding, CommandRejected, MailboxClosed):
        return await parts.campaign.ask(SetWorkers(workers), ASK_SECONDS)
    return None
