"""Makes the pictures of the dashboard: a campaign runs, a browser opens its page, and panels are photographed.

.venv/bin/python docs/images/make_dashboard.py [SECONDS]
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
TARGET = "examples/vault_reentrancy"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
WIDTH, HEIGHT, PHONE = 1280, 860, 390
PATIENCE = 300


@contextmanager
def campaign(folder: Path) -> Iterator[tuple[str, str]]:
    """The page's address and a token, while the campaign runs."""
    command = [
        sys.executable, "-m", "orchestrator", "fuzz", TARGET, "--seed", "1", "--workers", "2", "--timeout", "3600",
        "--corpus-dir", str(folder / "corpus"), "--dashboard-port", "0",
    ]  # fmt: skip
    log = folder / "log.txt"
    environment = {**os.environ, "XDG_STATE_HOME": str(folder), "NO_COLOR": "1"}
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr
        ) as process,
    ):
        try:
            end = time.monotonic() + PATIENCE
            while not (found := re.search(r"dashboard: (http://[^/\s]+)/", log.read_text(errors="replace"))):
                if process.poll() is not None or time.monotonic() > end:
                    sys.exit(log.read_text(errors="replace"))
                time.sleep(0.2)
            tokens = json.loads((folder / "monotreme" / "mcp-tokens.json").read_text())
            yield found[1], tokens["control"]
        finally:
            process.send_signal(signal.SIGINT)


def photograph(context: Any, url: str, token: str, seconds: int, name: str) -> None:
    """The top of the page, the frontier and a finding."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(url)
    page.locator("#token").fill(token)
    page.locator("#token").press("Enter")
    page.locator("#panel-verdicts li").first.wait_for()
    page.wait_for_timeout(seconds * 1000)
    shoot(page, "verdicts", HERE / f"dashboard_{name}.png")
    if name == "light":
        page.locator("#panel-finding").evaluate("each => each.scrollIntoView()")
        page.locator("#panel-finding .p-tree").wait_for()
        shoot(page, "finding", HERE / "dashboard_finding.png")
        page.locator("#panel-source").evaluate("each => each.scrollIntoView()")
        page.locator("#panel-source .p-hit").first.wait_for()
        shoot(page, "source", HERE / "dashboard_source.png")


def shoot(page: Any, panel: str, path: Path) -> None:
    page.locator(f"#panel-{panel}").evaluate("each => each.scrollIntoView()")
    page.wait_for_timeout(1500)
    page.screenshot(path=path)


def main(seconds: int) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome") or sys.exit("there is no Chromium on PATH")
    with tempfile.TemporaryDirectory() as name, campaign(Path(name)) as (url, token), sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=list(FLAGS))
        for scheme, width in (("light", WIDTH), ("dark", WIDTH), ("light", PHONE)):
            context = started.new_context(
                viewport={"width": width, "height": HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
            )
            photograph(context, url, token, seconds, "phone" if width == PHONE else scheme)
            context.close()
        started.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
