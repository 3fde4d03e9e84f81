"""The facade of one server: the tool families that are enabled, over this server's campaign and processes."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import trio

from actors.processes.runner import ProcessRunner
from orchestrator.agents.analysis_assembly import analysis_context
from orchestrator.agents.comparing import ComparisonService
from orchestrator.agents.containment import contained
from orchestrator.agents.mutation_service import MutationService
from orchestrator.agents.server_settings import ServerSettings
from tools.analysis.table import TOOLS as ANALYSIS_TOOLS
from tools.builds.context import BuildContext
from tools.builds.table import TOOLS as BUILD_TOOLS
from tools.campaign.contract import literal_schemas
from tools.campaign.extensions.campaigns import Capacity
from tools.campaign.extensions.completion import CampaignCompletion
from tools.campaign.extensions.dry_start import Check
from tools.campaign.extensions.lifecycle import Restart, Start
from tools.campaign.prompts import PROMPTS
from tools.campaign.resources import CampaignResources
from tools.campaign.several import MeantCampaign, ServedCampaigns
from tools.campaign.table import TOOLS as CAMPAIGN_TOOLS
from tools.campaign.table import CampaignContext
from tools.codebase.service import CodebaseService
from tools.codebase.table import TOOLS as CODEBASE_TOOLS
from tools.command_log import CommandLog
from tools.coverage.table import TOOLS as COVERAGE_TOOLS
from tools.coverage.table import CoverageContext
from tools.dispatcher import Dispatcher
from tools.profiles import hint
from tools.registry import ToolRegistry, tools_of
from tools.resource import ResourceSource
from tools.roots import AllowedRoots
from tools.schema_resources import SchemaResources
from tools.serving.facade import Facade
from tools.serving.subscriptions import Subscriptions
from tools.tool import Family, Tool

INSTRUCTIONS = """\
Monotreme fuzzes smart contracts. Begin with `status` and `target`. While a campaign runs, look with show_coverage,
explain_uncovered, read_source and function_statistics, try with execute_sequence, steer with inject_transaction,
inject_template, prioritize_function and add_dictionary_values, and wait with wait_for_event instead of polling.
Findings: list_findings, get_reproducer. Source code: search_codebases. Several campaigns can run: list_campaigns gives
the ids that tools take as campaignId."""

SWITCH_SECONDS = 0.0005
"""How long a thread that computes, as for a coverage report, may hold the interpreter while an answer waits for it. An
answer gives it up at each read and write, and Python's 5 ms would add up to more than the answer takes itself."""


@dataclass
class Server:
    """Components of one server. `access` is the campaign that a call means."""

    settings: ServerSettings
    campaigns: ServedCampaigns = field(default_factory=ServedCampaigns)
    command_log: CommandLog = field(default_factory=lambda: CommandLog(time.time))
    subscriptions: Subscriptions = field(default_factory=Subscriptions)
    runner: ProcessRunner = field(init=False)

    def __post_init__(self) -> None:
        settings = self.settings
        self.access = MeantCampaign(self.campaigns)
        self.runner = ProcessRunner(settings.command_limits, store=settings.runs)
        self.capacity = Capacity(1, 0)
        self.mutations = MutationService()
        self.comparisons = ComparisonService(settings.roots, self.campaigns)
        self.codebases = CodebaseService(settings.memory, settings.roots, settings.manager, ingest=settings.ingest)

    @asynccontextmanager
    async def open(
        self, start: Start | None, restart: Restart | None = None, check: Check | None = None
    ) -> AsyncIterator[Facade]:
        """The facade, with the actors behind it running. `start` begins campaigns, `restart` begins the last one anew
        and `check` deploys what would be fuzzed, where clients may."""
        # What is loaded by now stays: collections need not walk through it, which would hold up every answer.
        gc.freeze()
        sys.setswitchinterval(SWITCH_SECONDS)
        async with trio.open_nursery() as nursery:
            await nursery.start(contained, "programs can no longer be run for agents", self.runner.serve)
            await nursery.start(contained, "the codebase memory is no longer served", self.codebases.serve)
            await nursery.start(contained, "mutants are no longer tried", self.mutations.serve)
            try:
                yield self._facade(start, restart, check)
            finally:
                self.subscriptions.close()
                nursery.cancel_scope.cancel(reason="the server is over")

    def _facade(self, start: Start | None, restart: Restart | None, check: Check | None) -> Facade:
        registry = ToolRegistry(self.tools(start, restart, check), self.campaigns).of_families(self.settings.groups)
        sources: list[ResourceSource] = [SchemaResources(registry, literal_schemas())]
        is_campaign = Family.CAMPAIGN in self.settings.groups
        if is_campaign:
            sources.insert(0, CampaignResources(self.access, self.campaigns))
        return Facade(
            dispatcher=Dispatcher(registry, self.settings.deadlines, self.command_log),
            sources=sources,
            prompts=PROMPTS if is_campaign else (),
            name_style=self.settings.name_style,
            profile=self.settings.profile,
            instructions=_instructions(registry, self.settings.profile) if is_campaign else "",
            complete=CampaignCompletion(self.access, self.campaigns).complete,
            version=_version(),
        )

    def tools(
        self, start: Start | None, restart: Restart | None = None, check: Check | None = None
    ) -> Iterator[Tool[Any]]:
        """All tools in the order of publication, of all families."""
        roots = self.settings.roots
        # Reports of other tools are often written to the temporary folder.
        reports = AllowedRoots((*roots.roots, Path(gettempdir())), roots.base)
        builds = BuildContext.of(self.runner, roots.roots, roots.base, compact=self.settings.compact_diagnostics)
        context = CampaignContext(
            self.access,
            roots,
            start,
            restart,
            self.mutations,
            lambda: self.command_log.of(self.campaigns.meant.id),
            check,
            self.comparisons,
            self.campaigns,
            lambda: self.capacity,
        )
        yield from tools_of(CAMPAIGN_TOOLS, context)
        yield from tools_of(COVERAGE_TOOLS, CoverageContext(reports, time.time))
        yield from tools_of(BUILD_TOOLS, builds)
        yield from tools_of(ANALYSIS_TOOLS, analysis_context(self.settings, self.runner, self.access))
        yield from tools_of(CODEBASE_TOOLS, self.codebases)


def _instructions(registry: ToolRegistry, profile: str) -> str:
    return f"{INSTRUCTIONS}\n{hint(registry.get_all_tools(), profile)}".strip()


def _version() -> str:
    try:
        return version("monotreme")
    except PackageNotFoundError:
        return ""
