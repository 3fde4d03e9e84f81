"""The page's own tools, one line a module."""

from __future__ import annotations

from typing import Any

from orchestrator.dashboard.page_tools.calls import CallChecking
from orchestrator.dashboard.page_tools.entries import EntryRanking
from orchestrator.dashboard.page_tools.open_branches import OpenBranches
from orchestrator.dashboard.page_tools.reproducers import Reproducers
from orchestrator.dashboard.page_tools.source_lines import SourceLines
from tools.campaign.access import CampaignAccess
from tools.tool import Tool


def page_tools(access: CampaignAccess) -> tuple[Tool[Any], ...]:
    """Tools that the page's dispatcher has besides those of agents. All of them read only."""
    return (
        *OpenBranches(access).published(),
        *SourceLines(access).published(),
        *EntryRanking(access).published(),
        *CallChecking(access).published(),
        *Reproducers(access).published(),
    )
