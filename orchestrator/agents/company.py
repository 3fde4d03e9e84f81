"""The companion that lets agents at a campaign: it hands the actors to the facade and tells subscribers of changes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from actors.process_runner import ProcessRunner
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.parts import campaign_parts
from orchestrator.agents.server_settings import http_settings, server_settings
from orchestrator.agents.target_index import index_target
from orchestrator.assembly.wiring import Actors
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from orchestrator.streams import write_stderr
from simulator.project import Project
from tools.campaign.updates import publish_updates
from tools.serving.access import TokenFile
from tools.serving.binding import build_server
from tools.serving.http import http_caller, http_server

LAST_REPORT_SECONDS = 0.2


class AgentCompanion:
    """For a server that is open already, or serves no one campaign only."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @property
    def stops(self) -> tuple[int, ...]:
        return ()

    @property
    def runner(self) -> ProcessRunner | None:
        return self._server.runner

    @asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        yield

    @asynccontextmanager
    async def along(self, request: CampaignRequest, project: Project, actors: Actors) -> AsyncIterator[None]:
        parts = campaign_parts(request, project, actors)
        server = self._server
        async with server.command_log.writing_to(request.corpus_directory), trio.open_nursery() as nursery:
            subscribers = server.subscriptions
            nursery.start_soon(publish_updates, parts, subscribers.publish, subscribers.log_messages.tell)
            server.access.follow(parts)
            nursery.start_soon(index_target, server, project)
            yield
            # What clients read from now on is the coverage of the end.
            await actors.coverage.fresh(LAST_REPORT_SECONDS)
            nursery.cancel_scope.cancel(reason="the campaign is over")


class HttpCompanion(AgentCompanion):
    """`monotreme fuzz --mcp-port`: serves HTTP as long as the campaign runs."""

    def __init__(self, configuration: Configuration, port: int) -> None:
        super().__init__(Server(server_settings(configuration)))
        self._configuration = configuration
        self._port = port

    @asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        self._server.access.prepare("compiling")
        async with self._server.open(None) as facade:
            settings, file = await trio.to_thread.run_sync(http_settings, self._configuration, self._port)
            mcp_server = build_server(facade, self._server.subscriptions, http_caller)
            async with http_server(mcp_server, settings) as url:
                tell_where(url, file)
                yield


def tell_where(url: str, file: TokenFile | None) -> None:
    """Where agents connect; tokens are shown once, when they are made."""
    write_stderr(f"agents connect to {url}")
    if file is None:
        write_stderr("without a token: every program on this machine may steer the campaign")
    elif file.made:
        write_stderr(f"token with control: {file.tokens.control}\ntoken to read: {file.tokens.read}")
        write_stderr(f"both are kept in {file.path}")
    else:
        write_stderr(f"tokens are in {file.path}")
