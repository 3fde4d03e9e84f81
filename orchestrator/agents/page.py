"""The dashboard of a server's campaign: where it listens, who may open it, and what is said of that."""

from __future__ import annotations

import trio

from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.server_settings import http_settings, page_port
from orchestrator.configuration.model import Configuration
from orchestrator.dashboard.service import live_dashboard, print_page
from orchestrator.dashboard.visitors import Visitors
from orchestrator.streams import write_stderr
from tools.campaign.several import ShownCampaign
from tools.serving.access import TokenFileError
from tools.serving.facade import Facade
from tools.serving.http import CannotListen


async def serve_page(
    server: Server,
    facade: Facade,
    configuration: Configuration,
    visitors: Visitors,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the page until cancelled. Raises `CannotListen`, `HttpNotAllowed` and `TokenFileError`."""
    settings, file = await trio.to_thread.run_sync(http_settings, configuration, page_port(configuration))
    dispatcher = facade.dispatcher.for_campaigns(ShownCampaign(server.campaigns))
    page = live_dashboard(server.access, server.command_log, dispatcher, settings, visitors, server.campaigns)
    try:
        async with page as url:
            print_page(url, file)
            task_status.started()
            await trio.sleep_forever()
    except CannotListen as error:
        raise CannotListen(f"the dashboard: {error}; --dashboard-port chooses another port, 0 any free one") from error


async def serve_page_if_possible(
    server: Server,
    facade: Facade,
    configuration: Configuration,
    visitors: Visitors,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """As `serve_page`; where it cannot listen, one line says so and the server continues without."""
    try:
        await serve_page(server, facade, configuration, visitors, task_status=task_status)
    except (CannotListen, TokenFileError) as error:
        write_stderr(f"note: no dashboard: {error}")
        task_status.started()
