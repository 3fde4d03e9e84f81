"""`monotreme mcp` and `monotreme serve`: a server that runs campaigns for its clients until it is asked to stop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import trio

from orchestrator.agents.campaign_service import print_address
from orchestrator.agents.containment import contained
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.host import CampaignHost
from orchestrator.agents.page import serve_page_if_possible
from orchestrator.agents.server_settings import http_settings, server_settings
from orchestrator.assembly.signals import Interruption
from orchestrator.campaign import ProgramPorts
from orchestrator.configuration.layers import Layer
from orchestrator.configuration.request import CampaignRequest
from orchestrator.configuration.resolve import resolve
from orchestrator.dashboard.visitors import Visitors
from orchestrator.interrupts import conclude
from tools.serving.binding import build_server, local_caller
from tools.serving.facade import Facade
from tools.serving.http import http_caller, http_server
from tools.serving.stdio import serve_stdio


def run_stdio_server(layers: Sequence[Layer], request: CampaignRequest | None, ports: ProgramPorts | None) -> None:
    """Serve one client on stdin and stdout until it leaves or a signal comes; then the campaign ends and is saved.
    `request` is a campaign to begin with."""
    _run(_stdio, layers, request, ports or ProgramPorts())


def run_http_server(
    layers: Sequence[Layer], request: CampaignRequest | None, port: int, ports: ProgramPorts | None
) -> None:
    """Serve HTTP until a signal comes. Raises `CannotListen`, `HttpNotAllowed` and `TokenFileError`."""
    _run(_http, layers, request, ports or ProgramPorts(), port)


def _run(
    serve: Callable[..., Awaitable[None]],
    layers: Sequence[Layer],
    request: CampaignRequest | None,
    ports: ProgramPorts,
    *rest: object,
) -> None:
    """The first signal ends the server as its client does, the third at once. That is its normal end."""
    interruption = Interruption(quick=trio.CancelScope())
    with interruption.listening():
        trio.run(serve, interruption, layers, request, ports, *rest)
        conclude(0)


async def _stdio(
    interruption: Interruption, layers: Sequence[Layer], request: CampaignRequest | None, ports: ProgramPorts
) -> None:
    configuration = resolve(layers).configuration
    server = Server(server_settings(configuration))
    async with (
        _hosting(interruption, server, layers, request, ports) as facade,
        trio.open_nursery() as nursery,
    ):
        if configuration.has_page:
            page = partial(serve_page_if_possible, server, facade, configuration, Visitors())
            await nursery.start(contained, "the dashboard is no longer served", page)
        await serve_stdio(build_server(facade, server.subscriptions, local_caller))
        nursery.cancel_scope.cancel(reason="the client has left")


async def _http(
    interruption: Interruption,
    layers: Sequence[Layer],
    request: CampaignRequest | None,
    ports: ProgramPorts,
    port: int,
) -> None:
    configuration = resolve(layers).configuration
    settings, file = http_settings(configuration, port)
    server = Server(server_settings(configuration))
    async with (
        _hosting(interruption, server, layers, request, ports) as facade,
        http_server(build_server(facade, server.subscriptions, http_caller), settings) as url,
    ):
        print_address(url, file)
        async with trio.open_nursery() as nursery:
            page = partial(serve_page_if_possible, server, facade, configuration, Visitors())
            await nursery.start(contained, "the dashboard is no longer served", page)
            await trio.sleep_forever()


@asynccontextmanager
async def _hosting(
    interruption: Interruption,
    server: Server,
    layers: Sequence[Layer],
    request: CampaignRequest | None,
    ports: ProgramPorts,
) -> AsyncIterator[Facade]:
    """The facade of a server whose clients may begin campaigns. A signal ends the block; with the block ends the
    campaign, which gets a moment to save what is not saved yet."""
    assert interruption.quick is not None
    async with trio.open_nursery() as campaigns:
        await campaigns.start(interruption.watch, campaigns.cancel_scope)
        host = CampaignHost(server, layers, ports, campaigns)
        if request is not None:
            host.begin(request, is_sharing=True)
        async with server.open(host.start, host.restart, host.check) as facade:
            with interruption.quick:
                yield facade
            await host.end()
        campaigns.cancel_scope.cancel(reason="the server is over")
