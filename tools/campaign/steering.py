"""Steering of the campaign: commands to its actor, and its refusals in the published form of tool errors."""

from __future__ import annotations

import math
from typing import TypeVar

from actors.runtime.errors import CampaignEnding, CommandRejected, ExecutionLost, MailboxClosed, NoLiveWorkers
from actors.steering.commands import Command
from tools.campaign.access import CampaignAccess
from tools.command_entry import note_effect
from tools.errors import ErrorCode, ToolError

Reply = TypeVar("Reply")


async def steer(access: CampaignAccess, command: Command[Reply]) -> Reply:
    """Ask the campaign; the deadline is that of the tool. Raises `ToolError`: INVALID_INPUT with the reason
    PARSE_ERROR for what cannot be carried out as it stands, INTERNAL_ERROR for a campaign that cannot do it now."""
    campaign = access.current.campaign
    try:
        return await campaign.ask(command, math.inf, note_effect())
    except CommandRejected as error:
        raise ToolError(ErrorCode.INVALID_INPUT, str(error), reason="PARSE_ERROR") from error
    except NoLiveWorkers as error:
        raise ToolError(ErrorCode.INTERNAL_ERROR, f"No active workers: {error}", reason="NO_ACTIVE_WORKERS") from error
    except ExecutionLost as error:
        raise ToolError(ErrorCode.INTERNAL_ERROR, str(error), reason="EXECUTION_LOST") from error
    except (CampaignEnding, MailboxClosed) as error:
        message = str(error) or "the campaign has ended"
        raise ToolError(
            ErrorCode.INTERNAL_ERROR, f"{message[:1].upper()}{message[1:]}", reason="CAMPAIGN_TERMINATED"
        ) from error
