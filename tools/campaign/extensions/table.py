"""Campaign tools beyond the fixed, compatible set, ready to be registered."""

from __future__ import annotations

from typing import Any

from tools.campaign.access import CampaignAccess
from tools.campaign.extensions.findings import FindingTools
from tools.campaign.extensions.frontier import FrontierTools
from tools.campaign.extensions.functions import FunctionTools
from tools.campaign.extensions.lifecycle import LifeTools, Start
from tools.campaign.extensions.sequences import SequenceTools
from tools.campaign.extensions.status import StatusTools
from tools.campaign.extensions.waiting import WaitingTools
from tools.tool import Tool


def analysis_tools(access: CampaignAccess, start: Start | None) -> tuple[Tool[Any], ...]:
    """The tools, observing ones first. `start` begins campaigns, None where the server belongs to one."""
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
