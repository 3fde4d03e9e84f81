"""Family `campaign`: its tools, one line a module."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tools.campaign.access import CampaignAccess
from tools.campaign.contract_tools import contract_tools
from tools.campaign.extensions.findings import FindingTools
from tools.campaign.extensions.frontier import FrontierTools
from tools.campaign.extensions.functions import FunctionTools
from tools.campaign.extensions.lifecycle import LifeTools, Start
from tools.campaign.extensions.mutation import Mutations, MutationTools
from tools.campaign.extensions.sequences import SequenceTools
from tools.campaign.extensions.status import StatusTools
from tools.campaign.extensions.waiting import WaitingTools
from tools.roots import AllowedRoots
from tools.tool import Tool


@dataclass(frozen=True, slots=True)
class CampaignContext:
    """What campaign tools work on. `start` begins campaigns, None where the server belongs to one; `mutations` tries
    mutants."""

    access: CampaignAccess
    roots: AllowedRoots
    start: Start | None = None
    mutations: Mutations | None = None


TOOLS: tuple[Callable[[CampaignContext], Iterable[Tool[Any]]], ...] = (
    lambda context: contract_tools(context.access, context.roots),
    lambda context: StatusTools(context.access).published(),
    lambda context: FindingTools(context.access).published(),
    lambda context: FunctionTools(context.access).published_looking(),
    lambda context: FrontierTools(context.access).published(),
    lambda context: WaitingTools(context.access).published(),
    lambda context: SequenceTools(context.access).published(),
    lambda context: FunctionTools(context.access).published_acting(),
    lambda context: LifeTools(context.access, context.start).published(),
    lambda context: MutationTools(context.access, context.mutations).published(),
)
"""In the order of publication: the nine of the contract, then tools that observe, then tools that steer."""
