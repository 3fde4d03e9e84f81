"""Every panel opens in a real browser, without an error, over a campaign with fake workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from tests.orchestrator.dashboard.pages import TOKENS, dashboard
from tests.support.dashboard_browser import BROWSER, browser, enter

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (extra `test`)")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH: the dashboard is not tested in a browser"),
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]


def drive(url: str, profile: Path) -> tuple[list[str], list[str]]:
    """The names of the panels, and what went wrong in the page."""
    problems: list[str] = []
    with browser(profile) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(url)
        enter(page, TOKENS.control)
        panels = page.locator("section.panel")
        for number in range(panels.count()):
            panels.nth(number).evaluate("each => each.scrollIntoView()")
            panels.nth(number).locator(".panel-body > :not([hidden])").first.wait_for(state="attached")
        problems += page.get_by_text("This panel could not be shown").all_inner_texts()
        _steer(page)
        return panels.locator("h2").all_inner_texts(), problems


def _steer(page: Any) -> None:
    button = page.locator("#panel-functions").get_by_role("button", name="exclude Token.deposit()")
    button.scroll_into_view_if_needed()
    button.click()
    page.locator("#panel-functions").get_by_text("excluded", exact=True).first.wait_for()


async def test_all_panels_open_and_a_button_steers(tmp_path: Path):
    async with dashboard(tmp_path) as opened:
        url = str(opened.client.base_url)
        titles, problems = await trio.to_thread.run_sync(drive, url, tmp_path / "profile")
        assert problems == []
        assert len(titles) == 10
        excluded = opened.bench.parts.campaign.priorities.statistics().state.excluded
        assert excluded == ("Token.deposit()",)
        assert [each.tool for each in opened.bench.command_log.newest] == ["exclude_function"]
