"""The manager's page in a real browser, used by keyboard."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.support.patience import PATIENCE
from tools.codebase.memory import CodebaseMemory
from tools.codebase.service import CodebaseService
from tools.roots import AllowedRoots
from tools.serving.access import Tokens
from tools.serving.http import HttpSettings

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (extra `test`)")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH: the manager's page is not tested in a browser"),
]
TOKENS = Tokens("control-token-of-tests", "read-token-of-tests")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@contextmanager
def browser_page(profile: Path) -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=BROWSER, args=FLAGS, viewport={"width": 1200, "height": 900}
        )
        context.set_default_timeout(15_000)
        page = context.pages[0]
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda line: page.problems.append(line.text) if line.type == "error" else None)
        yield page
        context.close()


async def in_browser(memory: CodebaseMemory, root: Path, profile: Path, use: Any) -> None:
    """Serve the page and use it from a thread."""
    settings = HttpSettings(port=0, tokens=TOKENS)
    service = CodebaseService(memory, AllowedRoots([root], root), lambda: settings, lambda _: False)

    def drive(url: str) -> None:
        with browser_page(profile) as page:
            use(page, url)

    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await nursery.start(service.serve)
            await trio.to_thread.run_sync(drive, await service.page.open())
            nursery.cancel_scope.cancel()


async def test_a_person_manages_codebases_by_keyboard(memory: CodebaseMemory, project: Path, tmp_path: Path):
    """Add, list, statistics, search with highlights, stale entries, re-index, rename, delete: without a mouse and
    without an error."""

    def use(page: Any, url: str) -> None:
        page.goto(url)
        page.get_by_text("Nothing is indexed yet").wait_for()
        page.locator("#folder").press_sequentially(".")
        page.keyboard.press("Tab")
        page.keyboard.type("vault")
        page.keyboard.press("Enter")
        page.get_by_text("vault is indexed").wait_for()
        page.get_by_role("rowheader", name="vault").wait_for()
        page.get_by_role("button", name="Index", exact=True).focus()
        assert "ticket" not in page.url
        page.keyboard.press("/")
        page.keyboard.type("withdraw all")
        page.keyboard.press("Enter")
        first = page.locator("#results li").first
        first.wait_for()
        assert first.locator("strong").inner_text() == "src/Vault.sol:4-7"
        assert "withdraw" in [each.lower() for each in first.locator("mark").all_inner_texts()]
        assert "matches in" in page.locator("#summary").inner_text()
        page.screenshot(path=str(tmp_path / "page.png"))
        page.get_by_role("button", name="Statistics vault").press("Enter")
        page.get_by_role("heading", name="Statistics of vault").wait_for()
        (project / "src/more.py").write_text("def more(): pass\n")
        page.reload()
        page.get_by_text("since then 1 new").wait_for()
        page.get_by_role("button", name="Re-index vault").press("Enter")
        page.get_by_role("cell", name="8", exact=True).wait_for()
        page.locator("button[data-action=rename]:enabled").wait_for()
        page.get_by_text("since then").wait_for(state="detached")
        page.get_by_role("button", name="Rename vault").press("Enter")
        page.locator("#new-name").fill("safe")
        page.keyboard.press("Enter")
        page.get_by_role("rowheader", name="safe").wait_for()
        page.get_by_role("button", name="Delete safe").press("Enter")
        page.keyboard.press("Escape")
        assert page.get_by_role("rowheader", name="safe").is_visible()
        page.get_by_role("button", name="Delete safe").press("Enter")
        page.locator("#remove-confirm").press("Enter")
        page.get_by_text("Nothing is indexed yet").wait_for()
        assert page.problems == []

    await in_browser(memory, project, tmp_path / "profile", use)
    assert memory.codebases() == ()


async def test_a_token_opens_the_page_and_a_reader_changes_nothing(
    memory: CodebaseMemory, project: Path, tmp_path: Path
):
    """Without a ticket the page asks for a token; with that for reading, what changes something is disabled. Code that
    looks like markup is shown as what it is."""
    (project / "src/evil.js").write_text("function evilMarkup() { return '<img src=x onerror=alert(1)>'; }\n")
    memory.ingest(project, "<b>x</b>", lambda *_: None, lambda: False)

    def use(page: Any, url: str) -> None:
        page.goto(url.split("#")[0])
        page.get_by_label("Token", exact=True).fill(TOKENS.read)
        page.keyboard.press("Enter")
        page.get_by_role("rowheader", name="<b>x</b>").wait_for()
        assert page.get_by_role("button", name="Delete").is_disabled()
        assert page.get_by_role("button", name="Statistics").is_enabled()
        page.locator("#query").fill("evil markup")
        page.locator("#query").press("Enter")
        page.locator("#results li").first.wait_for()
        assert "<img src=x" in page.locator("#results pre").first.inner_text()
        assert page.locator("#results img").count() == 0

    await in_browser(memory, project, tmp_path / "profile", use)
