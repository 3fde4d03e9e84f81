"""Serving the page as long as a block runs, and saying where it is."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import trio

from orchestrator.dashboard.application import ShownCampaigns, dashboard_application
from orchestrator.dashboard.live import LiveCampaign
from orchestrator.dashboard.page_tools.table import page_tools
from orchestrator.dashboard.several import Listed, LiveCampaigns, SteadyCampaign
from orchestrator.dashboard.visitors import Visitors
from orchestrator.streams import write_stderr
from tools.campaign.access import CampaignAccess
from tools.campaign.several import ServedCampaigns
from tools.codebase.manager.sessions import TICKET_SECONDS, Sessions
from tools.command_log import CommandLog
from tools.dispatcher import Dispatcher
from tools.serving.access import TokenFile
from tools.serving.http import HttpSettings, application_server


@asynccontextmanager
async def live_dashboard(
    access: CampaignAccess,
    command_log: CommandLog,
    dispatcher: Dispatcher,
    settings: HttpSettings,
    visitors: Visitors,
    campaigns: ServedCampaigns,
) -> AsyncIterator[str]:
    """Serve these campaigns within the block; gives the URL, with a ticket where tokens are asked for. `access` is that
    of the campaign that a call means. Raises `HttpNotAllowed` and `CannotListen`."""
    live = LiveCampaigns(campaigns, partial(_followed, command_log, visitors))
    dispatcher = dispatcher.with_more(page_tools(access))
    sessions = visitors.sessions(settings.tokens)
    async with served(live, dispatcher, settings, sessions) as url, trio.open_nursery() as nursery:
        await nursery.start(live.follow)
        try:
            yield url
        finally:
            live.end()
        nursery.cancel_scope.cancel(reason="the page is no longer served")


def _followed(command_log: CommandLog, visitors: Visitors, access: CampaignAccess, listed: Listed) -> LiveCampaign:
    # Of campaigns in turn, the one that is shown tells how the earlier ones came out.
    is_default = isinstance(access, SteadyCampaign)
    return LiveCampaign(access, command_log, time.time, visitors if is_default else None, listed)


@asynccontextmanager
async def served(
    shown: ShownCampaigns, dispatcher: Dispatcher, settings: HttpSettings, sessions: Sessions
) -> AsyncIterator[str]:
    """Serve a page of these campaigns within the block; gives its URL, with a ticket where tokens are asked for."""
    application = dashboard_application(shown, dispatcher, sessions, settings.host)
    async with application_server(application, settings, sessions.scopes_of) as url:
        ticket = sessions.ticket()
        yield f"{url}/#ticket={ticket}" if ticket else f"{url}/"


def print_page(url: str, file: TokenFile | None) -> None:
    """Announce the page."""
    write_stderr(f"dashboard: {url}")
    if file is not None:
        minutes = f"{TICKET_SECONDS / 60:g}"
        write_stderr(
            f"this link opens it once, within {minutes} minutes; then the page asks for a token of {file.path}"
        )
