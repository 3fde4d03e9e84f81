"""Serves a running campaign over MCP: gives the facade its actors, and notifies subscribers of changes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Literal

import trio

from actors.processes.runner import ProcessRunner
from orchestrator.agents.containment import Part, contained
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.page import serve_page
from orchestrator.agents.parts import campaign_components
from orchestrator.agents.server_settings import http_settings, server_settings
from orchestrator.agents.target_index import index_target
from orchestrator.assembly.wiring import Actors
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from orchestrator.dashboard.visitors import Visitors
from orchestrator.streams import write_stderr
from simulator.project import Project
from tools.campaign.access import CampaignAccess, CampaignComponents, CampaignPlace
from tools.campaign.resources import uri_of_one
from tools.campaign.updates import publish_updates
from tools.serving.access import TokenFile
from tools.serving.binding import build_server
from tools.serving.facade import Facade
from tools.serving.http import http_caller, http_server

LAST_REPORT_SECONDS = 0.2


class AgentService:
    """Serves a campaign on a server that is open already and may serve others. `place` is that of the campaign, by
    default a further one; a trial is deployed for its caller alone."""

    def __init__(self, server: Server, place: CampaignPlace | None = None, *, is_trial: bool = False) -> None:
        self._server = server
        self._place = place or server.campaigns.begin()
        self._access = CampaignAccess(place=self._place)
        self._is_trial = is_trial

    @property
    def server(self) -> Server:
        return self._server

    @property
    def stops(self) -> tuple[int, ...]:
        return ()

    @property
    def runner(self) -> ProcessRunner | None:
        return self._server.runner

    @asynccontextmanager
    async def around_run(self) -> AsyncIterator[None]:
        yield

    @asynccontextmanager
    async def around_actors(self, request: CampaignRequest, project: Project, actors: Actors) -> AsyncIterator[None]:
        parts = campaign_components(request, project, actors)
        server, place = self._server, self._place
        if self._is_trial:
            self._access.follow(parts)
            yield
            return
        async with server.command_log.writing_to(request.corpus_directory, place.id), trio.open_nursery() as nursery:
            nursery.start_soon(
                contained, "subscribers hear of no further changes", partial(self._publish_changes, parts)
            )
            self._access.follow(parts)
            server.comparisons.follow(place, request, project, actors)
            nursery.start_soon(contained, "the sources are not in the codebase memory", partial(self._index, project))
            yield
            # What clients read from now on is the coverage of the end.
            await actors.coverage.fresh(LAST_REPORT_SECONDS)
            nursery.cancel_scope.cancel(reason="the campaign is over")

    async def _publish_changes(self, parts: CampaignComponents, *, task_status: trio.TaskStatus[None]) -> None:
        task_status.started()
        await publish_updates(parts, partial(publish_change, self._server, self._place), self._tell_clients)

    async def _tell_clients(self, level: Literal["notice", "warning"], text: str) -> None:
        is_one_of_several = self._server.campaigns.are_several
        shown = f"{self._place.id}: {text}" if is_one_of_several else text
        await self._server.subscriptions.log_messages.tell(level, shown)

    async def _index(self, project: Project, *, task_status: trio.TaskStatus[None]) -> None:
        task_status.started()
        await index_target(self._server, project)


async def publish_change(server: Server, place: CampaignPlace, uri: str) -> None:
    """Notify subscribers of a resource of one campaign, by both of its URIs."""
    if server.campaigns.shown is place and not server.campaigns.are_several:
        await server.subscriptions.publish(uri)
    await server.subscriptions.publish(uri_of_one(place.id, uri))


class HttpService(AgentService):
    """`monotreme fuzz --mcp-port` and `--dashboard`: serves HTTP as long as the campaign runs. `port` is that for
    agents, None serves none."""

    def __init__(self, configuration: Configuration, port: int | None, visitors: Visitors | None = None) -> None:
        super().__init__(Server(server_settings(configuration)))
        self._configuration = configuration
        self._port = port
        self._visitors = visitors or Visitors()

    @asynccontextmanager
    async def around_run(self) -> AsyncIterator[None]:
        self._access.prepare("compiling")
        stop = trio.Event()
        async with self._server.open(None) as facade, trio.open_nursery() as nursery:
            if self._port is not None:
                await nursery.start(contained, "agents are no longer served", partial(self._serve, facade, stop))
            if self._configuration.has_page:
                page = partial(serve_page, self._server, facade, self._configuration, self._visitors)
                await nursery.start(contained, "the dashboard is no longer served", partial(_until, stop, page))
            try:
                yield
            finally:
                stop.set()

    async def _serve(self, facade: Facade, stop: trio.Event, *, task_status: trio.TaskStatus[None]) -> None:
        assert self._port is not None
        settings, file = await trio.to_thread.run_sync(http_settings, self._configuration, self._port)
        mcp_server = build_server(facade, self._server.subscriptions, http_caller)
        async with http_server(mcp_server, settings) as url:
            print_address(url, file)
            task_status.started()
            await stop.wait()


async def _until(stop: trio.Event, serve: Part, *, task_status: trio.TaskStatus[None]) -> None:
    """Serve a part until `stop`."""
    async with trio.open_nursery() as nursery:
        await nursery.start(serve)
        task_status.started()
        await stop.wait()
        nursery.cancel_scope.cancel(reason="the campaign is over")


def print_address(url: str, file: TokenFile | None) -> None:
    """Announce the address for agents; tokens are shown once, when they are created."""
    write_stderr(f"agents connect to {url}")
    if file is None:
        write_stderr("without a token: every program on this machine may steer the campaign")
    elif file.made:
        write_stderr(f"token with control: {file.tokens.control}\ntoken to read: {file.tokens.read}")
        write_stderr(f"both are kept in {file.path}")
    else:
        write_stderr(f"tokens are in {file.path}")
