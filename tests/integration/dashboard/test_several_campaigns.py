"""One page over several campaigns of a server: the list of them, and each one's own page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trio

from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.host import CampaignHost
from orchestrator.dashboard.service import live_dashboard
from orchestrator.dashboard.visitors import Visitors
from tests.integration.agents.test_host import ask, project
from tests.integration.agents.test_several import begin, two
from tests.orchestrator.dashboard.pages import CONTROL, TOKENS, stream
from tests.support.dashboard_browser import BROWSER, axe_problems, browser, panel
from tests.support.patience import PATIENCE, until
from tools.campaign.several import ShownCampaign
from tools.serving.facade import Facade
from tools.serving.http import HttpSettings

__all__ = ["project"]
pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]


@asynccontextmanager
async def page_of_two() -> AsyncIterator[tuple[httpx2.AsyncClient, Facade, Server, CampaignHost]]:
    """The page of a server with the campaigns c1 and c2."""
    async with two() as (facade, server, host):
        dispatcher = facade.dispatcher.for_campaigns(ShownCampaign(server.campaigns))
        settings = HttpSettings(port=0, tokens=TOKENS)
        page = live_dashboard(server.access, server.command_log, dispatcher, settings, Visitors(), server.campaigns)
        async with page as url, httpx2.AsyncClient(base_url=url.partition("#")[0], timeout=PATIENCE) as client:
            yield client, facade, server, host


def is_paused(server: Server, name: str) -> bool:
    parts = server.campaigns.named(name).parts
    return parts is not None and parts.campaign.status().paused


async def test_a_stream_is_of_the_campaign_that_it_names(project: Path):
    """It tells which, and lists all; one that names none stays with its campaign when another one begins."""
    async with page_of_two() as (client, facade, server, host):
        for query, shown in (("?campaign=c1", "c1"), ("?campaign=c2", "c2"), ("", "c2")):
            async with stream(client, query=query) as lines:
                assert (await lines.until("hello"))[0]["campaign"] == shown
                state, _ = await lines.until("state")
                listed = [(each["id"], each["target"], each["state"]) for each in state["campaigns"]]
                assert listed == [("c1", "Fake", "running"), ("c2", "Fake", "running")]
                assert state["figures"]["folder"].endswith("one" if shown == "c1" else "two")
        unknown = await client.get("/api/stream?campaign=c9", headers={**CONTROL, "accept": "text/event-stream"})
        assert unknown.status_code == 404
        assert unknown.json()["error"]["message"].startswith("there is no campaign 'c9'; campaigns are: c1 (Fake)")
        await ask(facade, "stop_campaign", campaignId="c1")
        await until(lambda: len(host._under_way) == 1)
        async with stream(client) as lines:
            await lines.until("state")
            await begin(facade, server, corpusDir="three")
            while len(state.get("campaigns", ())) < 3:
                state, _ = await lines.until("state")
        async with stream(client) as lines:
            assert (await lines.until("hello"))[0]["campaign"] == "c2"


async def test_a_call_reaches_the_campaign_that_its_page_shows(project: Path):
    """In the command log of that campaign, and of no other."""
    async with page_of_two() as (client, _, server, __):
        answer = await client.post("/api/call/pause_campaign?campaign=c1", json={}, headers=CONTROL)
        assert answer.json() == {"result": {"changed": True}}
        assert (is_paused(server, "c1"), is_paused(server, "c2")) == (True, False)
        commands = {name: [each.tool for each in server.command_log.of(name)] for name in ("c1", "c2")}
        assert commands == {"c1": ["start_campaign", "pause_campaign"], "c2": ["start_campaign"]}
        gone = await client.post("/api/call/pause_campaign?campaign=c9", json={}, headers=CONTROL)
        assert gone.status_code == 400
        assert "there is no campaign 'c9'" in gone.json()["error"]["message"]
        listed = await client.post("/api/call/list_campaigns?campaign=c1", json={}, headers=CONTROL)
        assert len(listed.json()["result"]["campaigns"]) == 2


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH: the dashboard is not tested in a browser")
async def test_the_list_opens_each_campaign_and_its_buttons_reach_their_own(project: Path, tmp_path: Path):
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (extra `test`)")
    async with page_of_two() as (client, _, server, __):
        problems = await trio.to_thread.run_sync(_drive, str(client.base_url), tmp_path / "profile")
        assert problems == []
        assert (is_paused(server, "c1"), is_paused(server, "c2")) == (True, False)
        commands = {name: [each.tool for each in server.command_log.of(name)][1:] for name in ("c1", "c2")}
        assert commands == {"c1": ["pause_campaign", "set_workers"], "c2": []}


def _drive(url: str, profile: Path) -> list[str]:
    problems: list[str] = []
    with browser(profile) as context:
        page: Any = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(url)
        page.locator("#token").fill(TOKENS.control)
        page.locator("#token").press("Enter")
        rows = page.locator("#overview tbody tr")
        rows.first.wait_for()
        assert rows.count() == 2
        problems += axe_problems(page)
        page.get_by_role("button", name="pause c1 Fake").click()
        page.get_by_role("button", name="continue c1 Fake").wait_for()
        rows.first.get_by_role("link").click()
        page.wait_for_url("**/?campaign=c1")
        page.locator("#panel-verdicts").wait_for()
        assert "paused" in page.locator("#subtitle").inner_text()
        panel(page, "workers").get_by_role("button", name="One worker more").click()
        page.get_by_role("link", name="all 2 campaigns").click()
        rows.first.wait_for()
        page.goto(f"{url}?campaign=c9")
        page.get_by_text("there is no campaign 'c9'").wait_for()
        assert page.locator("#content").is_hidden()
    return problems
