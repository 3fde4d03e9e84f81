"""Waiting for a campaign that begins, and figures of one that is only deployed."""

from __future__ import annotations

import trio

from actors.events.types import Warned
from orchestrator.configuration.request import CampaignRequest
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.extensions.dry_start import CheckedTarget
from tools.campaign.extensions.status import target_of
from tools.campaign.fields import PageInput
from tools.errors import ErrorCode, ToolError
from tools.progress import report_progress

LOOK_SECONDS = 0.25
MAX_WARNINGS = 100
MAX_LISTED = 200
"""Functions, and tests. There is no next page, as nothing is left to ask."""
BEFORE_FUZZING = ("compiling", "deploying", "replaying corpus")


async def deployed(access: CampaignAccess, ended: trio.Event) -> CampaignComponents:
    """Wait until the target is deployed. Raises `ToolError` with the reason where that fails."""
    began = trio.current_time()
    while True:
        parts = access.parts
        if parts is not None and parts.campaign.ready is not None:
            return parts
        if ended.is_set() or (parts is not None and parts.is_over):
            failure = access.failure or (parts.campaign.status().failure if parts is not None else None)
            message = f"The target cannot be fuzzed: {failure or 'the campaign ended before it was deployed'}"
            raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="CAMPAIGN_FAILED")
        await _moment(began, access)


async def replayed(access: CampaignAccess, ended: trio.Event) -> None:
    """Wait until a campaign has replayed its corpus. Raises `ToolError` where it is never deployed."""
    began = trio.current_time()
    parts = await deployed(access, ended)
    while not (ended.is_set() or parts.is_over) and parts.campaign.status().phase in BEFORE_FUZZING:
        await _moment(began, access)


async def _moment(began: float, access: CampaignAccess) -> None:
    """Until it is worth looking again; the client hears how far it is."""
    parts = access.parts
    phase = parts.campaign.status().phase if parts is not None else access.phase
    await report_progress(trio.current_time() - began, phase)
    await trio.sleep(LOOK_SECONDS)


def checked_target(parts: CampaignComponents, request: CampaignRequest) -> CheckedTarget:
    """The target as it is deployed."""
    ready = parts.campaign.ready
    warned = (logged.event.message for logged in parts.log.since(0) if isinstance(logged.event, Warned))
    return CheckedTarget(
        target=target_of(parts, PageInput(limit=MAX_LISTED)),
        workers=request.workers,
        call_limit=request.call_limit,
        time_limit=request.time_limit,
        left_out=ready.left_out if ready is not None else (),
        warnings=tuple(dict.fromkeys(warned))[:MAX_WARNINGS],
    )
