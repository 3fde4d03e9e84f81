"""A campaign with its dashboard in a program of its own, and pages of it in a real browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.patience import PATIENCE, wait_for

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
ROOT = Path(__file__).resolve().parents[2]
HARMLESS = (
    "favicon", "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "status of 401",
    "status of 400", "status of 404",
)  # fmt: skip
"""Refusals are answers, which panels tell; a server that is away is told at the top of the page."""


@dataclass
class Dashboard:
    """A program that serves a page. `folder` is that of its corpus."""

    url: str
    control: str
    read: str
    folder: Path
    process: subprocess.Popen[bytes]

    def commands(self) -> list[dict[str, Any]]:
        """The campaign's command log."""
        path = self.folder / "mcp-commands.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def commanded(self, tool: str) -> dict[str, Any]:
        """The newest command of a tool, once it is in the log."""
        found = wait_for(lambda: [each for each in self.commands() if each["tool"] == tool], f"{tool} in the log")
        return found[-1]


@contextmanager
def dashboard(arguments: list[str], folder: Path, home: Path, port: int = 0) -> Iterator[Dashboard]:
    """Run `monotreme ARGUMENTS` within the block and wait for its page."""
    log = home / f"stderr-{len(list(home.glob('stderr-*')))}.txt"
    environment = {**os.environ, "XDG_STATE_HOME": str(home), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "orchestrator", *arguments, "--dashboard-port", str(port)]
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr
        ) as process,
    ):
        try:
            found = wait_for(lambda: _url(log, process), "the address of the page")
            tokens = json.loads((home / "monotreme" / "mcp-tokens.json").read_text())
            yield Dashboard(found, tokens["control"], tokens["read"], folder, process)
        finally:
            stop(process)


def _url(log: Path, process: subprocess.Popen[bytes]) -> str:
    text = log.read_text(errors="replace")
    assert process.poll() is None, f"the program ended: {text}"
    found = re.search(r"dashboard: (http://[^/\s]+)/", text)
    return found[1] if found else ""


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the program as the user does, and wait for it."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)


@contextmanager
def browser(profile: Path, **options: Any) -> Iterator[Any]:
    """A browser of its own."""
    from playwright.sync_api import sync_playwright

    options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **options}
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=BROWSER, args=list(FLAGS), permissions=["clipboard-read", "clipboard-write"],
            **options,
        )  # fmt: skip
        context.set_default_timeout(120_000)
        try:
            yield context
        finally:
            context.close()


def opened(context: Any, shown: Dashboard, token: str = "") -> Any:
    """A page of the dashboard, with all that went wrong in it as `problems`."""
    page = context.new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda line: _note(page, line))
    page.goto(shown.url)
    enter(page, token or shown.control)
    return page


def _note(page: Any, line: Any) -> None:
    if line.type == "error" and not any(each in f"{line.text} {line.location}" for each in HARMLESS):
        page.problems.append(f"{line.text} {line.location.get('url', '')}")


def enter(page: Any, token: str) -> None:
    page.locator("#token").fill(token)
    page.locator("#token").press("Enter")
    page.locator("#panel-verdicts").wait_for()


def panel(page: Any, name: str) -> Any:
    """A panel, brought into view."""
    found = page.locator(f"#panel-{name}")
    found.evaluate("each => each.scrollIntoView()")
    return found


def ask(page: Any, tool: str, **arguments: object) -> Any:
    """The answer of a tool, asked for as the page does, once it has one."""
    found = wait_for(lambda: [each for each in [_asked(page, tool, arguments)] if each is not None], tool)
    return found[0]


def _asked(page: Any, tool: str, arguments: dict[str, object]) -> Any:
    return page.evaluate(
        """async ([tool, body, key]) => {
          const answer = await fetch(`/api/call/${tool}`, {
            method: "POST", body: JSON.stringify(body),
            headers: { "content-type": "application/json", authorization: `Bearer ${sessionStorage.getItem(key)}` },
          });
          return (await answer.json()).result;
        }""",
        [tool, arguments, "monotreme-dashboard-token"],
    )


def axe_problems(page: Any) -> list[str]:
    """Findings of axe-core, one line each: rule and the elements."""
    import axe_playwright_python

    source = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
    page.evaluate(source)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{each['id']}: {', '.join(' '.join(map(str, node['target'])) for node in each['nodes'][:5])}: "
        f"{each['nodes'][0].get('failureSummary', '')}"
        for each in found["violations"]
    ]
