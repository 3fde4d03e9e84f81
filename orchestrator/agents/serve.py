"""`monotreme mcp` and `monotreme serve`: a server that runs campaigns for its clients until it is told to leave."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import trio

from orchestrator.agents.company import tell_where
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.host import CampaignHost
from orchestrator.agents.server_settings import http_settings, server_settings
from orchestrator.campaign import CampaignPorts
from orchestrator.configuration.layers import Layer
from orchestrator.configuration.request import CampaignRequest
from orchestrator.configuration.resolve import resolve
from tools.serving.binding import build_server, local_caller
from tools.serving.facade import Facade
from tools.serving.http import http_caller, http_server
from tools.serving.stdio import serve_stdio

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_stdio_server(layers: Sequence[Layer], request: CampaignRequest | None, ports: CampaignPorts | None) -> None:
    """Serve one client on stdin and stdout until it leaves or a signal comes; then the campaign ends and is saved.
    `request` is a campaign to begin with."""
    trio.run(_stdio, layers, request, ports or CampaignPorts())


def run_http_server(
    layers: Sequence[Layer], request: CampaignRequest | None, port: int, ports: CampaignPorts | None
) -> None:
    """Serve HTTP until a signal comes. Raises `CannotListen`, `HttpNotAllowed` and `TokenFileError`."""
    trio.run(_http, layers, request, port, ports or CampaignPorts())


async def _stdio(layers: Sequence[Layer], request: CampaignRequest | None, ports: CampaignPorts) -> None:
    server = Server(server_settings(resolve(layers).configuration))
    async with _hosting(server, layers, request, ports) as facade:
        await serve_stdio(build_server(facade, server.subscriptions, local_caller))


async def _http(layers: Sequence[Layer], request: CampaignRequest | None, port: int, ports: CampaignPorts) -> None:
    configuration = resolve(layers).configuration
    settings, file = http_settings(configuration, port)
    server = Server(server_settings(configuration))
    async with (
        _hosting(server, layers, request, ports) as facade,
        http_server(build_server(facade, server.subscriptions, http_caller), settings) as url,
    ):
        tell_where(url, file)
        await trio.sleep_forever()


@asynccontextmanager
async def _hosting(
    server: Server, layers: Sequence[Layer], request: CampaignRequest | None, ports: CampaignPorts
) -> AsyncIterator[Facade]:
    """The facade of a server whose clients may begin campaigns. A signal ends the block; with the block ends the
    campaign, which gets a moment to save what is not saved yet."""
    async with trio.open_nursery() as campaigns:
        host = CampaignHost(server, layers, ports, campaigns)
        if request is not None:
            host.begin(request)
        async with server.open(host.start) as facade:
            with trio.CancelScope() as scope:
                async with trio.open_nursery() as watching:
                    watching.start_soon(_watch_signals, scope)
                    yield facade
                    watching.cancel_scope.cancel(reason="the client has left")
            await host.end()
        campaigns.cancel_scope.cancel(reason="the server is over")


async def _watch_signals(scope: trio.CancelScope) -> None:
    with trio.open_signal_receiver(*SIGNALS) as received:
        async for _ in received:
            scope.cancel(reason="a signal")
