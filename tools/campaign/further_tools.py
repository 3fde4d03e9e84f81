"""What agents need beyond contract 004, ready to be registered."""

from __future__ import annotations

from typing import Any

from tools.campaign.access import CampaignAccess
from tools.campaign.finding_tools import FindingTools
from tools.campaign.frontier_tools import FrontierTools
from tools.campaign.function_tools import FunctionTools
from tools.campaign.life_tools import LifeTools, Start
from tools.campaign.sequence_tools import SequenceTools
from tools.campaign.status_tools import StatusTools
from tools.campaign.waiting_tools import WaitingTools
from tools.tool import Tool


def further_tools(access: CampaignAccess, start: Start | None) -> tuple[Tool[Any], ...]:
    """Those that look first. `start` begins campaigns, None where the server belongs to one."""
    functions = FunctionTools(access)
    return (
        *StatusTools(access).published(),
        *FindingTools(access).published(),
        *functions.published_looking(),
        *FrontierTools(access).published(),
        *WaitingTools(access).published(),
        *SequenceTools(access).published(),
        *functions.published_acting(),
        *LifeTools(access, start).published(),
    )
