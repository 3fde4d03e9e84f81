"""Family `campaign`: its tools, one line a module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tools.campaign.access import CampaignAccess
from tools.campaign.contract_tools import contract_tools
from tools.campaign.extensions.campaigns import CampaignListTools, Capacity
from tools.campaign.extensions.clamps import ClampTools
from tools.campaign.extensions.commands import CommandTools
from tools.campaign.extensions.comparison import Comparisons, ComparisonTools
from tools.campaign.extensions.corpus import CorpusTools
from tools.campaign.extensions.dry_start import Check, DryStartTools
from tools.campaign.extensions.evaluation import EvaluationTools
from tools.campaign.extensions.findings import FindingTools
from tools.campaign.extensions.functions import FunctionTools
from tools.campaign.extensions.health import HealthTools
from tools.campaign.extensions.lifecycle import LifeTools, Restart, Start
from tools.campaign.extensions.mutation import Mutations, MutationTools
from tools.campaign.extensions.sequences import SequenceTools
from tools.campaign.extensions.status import StatusTools
from tools.campaign.extensions.steering_list import SteeringListTools
from tools.campaign.extensions.waiting import WaitingTools
from tools.campaign.several import ServedCampaigns
from tools.campaign.sources.frontier import FrontierTools
from tools.campaign.sources.source import SourceTools
from tools.campaign.trials.execution import ExecutionTools
from tools.campaign.trials.sampling import SamplingTools
from tools.command_entry import CommandEntry
from tools.roots import AllowedRoots
from tools.tool import Tool


@dataclass(frozen=True, slots=True)
class CampaignContext:
    """Context of campaign tools. `start` begins campaigns, and `restart` the one that was begun last once more, None
    where the server belongs to one; `check` deploys without fuzzing. `mutations` tries mutants; `commands` are those
    given so far, oldest first. `comparisons` compares campaigns. `campaigns` are all of the server, of which `capacity`
    says how many there may be."""

    access: CampaignAccess
    roots: AllowedRoots
    start: Start | None = None
    restart: Restart | None = None
    mutations: Mutations | None = None
    commands: Callable[[], Sequence[CommandEntry]] = tuple
    check: Check | None = None
    comparisons: Comparisons | None = None
    campaigns: ServedCampaigns = field(default_factory=ServedCampaigns)
    capacity: Callable[[], Capacity] = lambda: Capacity(1, 0)


TOOLS: tuple[Callable[[CampaignContext], Iterable[Tool[Any]]], ...] = (
    lambda context: contract_tools(context.access, context.roots),
    lambda context: StatusTools(context.access).published(),
    lambda context: CampaignListTools(context.campaigns, context.capacity).published(),
    lambda context: FindingTools(context.access).published(),
    lambda context: FunctionTools(context.access).published_looking(),
    lambda context: FrontierTools(context.access).published(),
    lambda context: HealthTools(context.access).published(),
    lambda context: SourceTools(context.access).published(),
    lambda context: CorpusTools(context.access).published_looking(),
    lambda context: SamplingTools(context.access).published(),
    lambda context: SteeringListTools(context.access).published(),
    lambda context: CommandTools(context.commands).published(),
    lambda _: EvaluationTools().published(),
    lambda context: WaitingTools(context.access).published(),
    lambda context: ComparisonTools(context.comparisons).published(),
    lambda context: ExecutionTools(context.access).published(),
    lambda context: SequenceTools(context.access).published(),
    lambda context: FunctionTools(context.access).published_acting(),
    lambda context: ClampTools(context.access).published(),
    lambda context: CorpusTools(context.access).published_acting(),
    lambda context: DryStartTools(context.check).published(),
    lambda context: LifeTools(context.access, context.start, context.restart).published(),
    lambda context: MutationTools(context.access, context.mutations).published(),
)
"""In the order of publication: the nine of the contract, then tools that observe, then tools that steer."""
