"""`monotreme fuzz --autopilot`: the scripted agent beside a campaign, through the tools and the command log."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import trio

from actors.processes.runner import ProcessRunner
from orchestrator.agents.campaign_service import AgentService
from orchestrator.agents.containment import contained
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.server_settings import server_settings
from orchestrator.assembly.wiring import Actors
from orchestrator.autopilot.policy import Autopilot
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from simulator.project import Project
from tools.caller import Caller
from tools.campaign.table import TOOLS as CAMPAIGN_TOOLS
from tools.campaign.table import CampaignContext
from tools.deadlines import Deadlines
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry, tools_of

CLIENT = Caller(identity="autopilot", name="autopilot")
PATIENCE_MILLISECONDS = 30_000


class AutopilotService:
    """Steers the campaign that `inner` serves. `inner` need not serve anybody else."""

    def __init__(self, inner: AgentService, *, serves: bool) -> None:
        self._inner = inner
        self._serves = serves
        patient = Deadlines(campaign=PATIENCE_MILLISECONDS, analysis=PATIENCE_MILLISECONDS)
        server = inner.server
        context = CampaignContext(server.access, server.settings.roots)
        registry = ToolRegistry(tools_of(CAMPAIGN_TOOLS, context), server.campaigns)
        self._dispatcher = Dispatcher(registry, patient, server.command_log)

    @property
    def stops(self) -> tuple[int, ...]:
        return self._inner.stops

    @property
    def runner(self) -> ProcessRunner | None:
        return self._inner.runner if self._serves else None

    def around_run(self) -> AbstractAsyncContextManager[None]:
        return self._inner.around_run()

    @asynccontextmanager
    async def around_actors(self, request: CampaignRequest, project: Project, actors: Actors) -> AsyncIterator[None]:
        pilot = Autopilot(self._ask, int.from_bytes(actors.settings.deployer, "big"))
        async with self._inner.around_actors(request, project, actors), trio.open_nursery() as nursery:
            nursery.start_soon(contained, "the autopilot has left", partial(_fly, pilot))
            yield
            nursery.cancel_scope.cancel(reason="the campaign is over")

    async def _ask(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        rendered = await self._dispatcher.call(tool, arguments, CLIENT)
        if rendered.is_error:
            return None
        return rendered.structured if rendered.structured is not None else _parsed(rendered.text)


def unserved(configuration: Configuration) -> AgentService:
    """Return the service that the tools need where nobody else is served."""
    return AgentService(Server(replace(server_settings(configuration), index_target=False)))


async def _fly(pilot: Autopilot, *, task_status: trio.TaskStatus[None]) -> None:
    task_status.started()
    await pilot.fly()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
