"""Makes dashboard.png, dashboard_dark.png and dashboard_phone.png: a campaign runs, and Chromium looks at its page.

.venv/bin/python docs/images/make_dashboard.py [SECONDS]
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import Request, urlopen

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent
TARGET = "examples/amm"
PICTURES = (
    ("dashboard", 1280, 900, "light"),
    ("dashboard_dark", 1280, 900, "dark"),
    ("dashboard_phone", 390, 844, "light"),
)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


def address(lines: object) -> str:
    """The page's address, from what the program says on stderr."""
    for line in lines:  # type: ignore[attr-defined]
        if line.startswith("dashboard: "):
            return str(line.split()[1])
    raise SystemExit("the program did not say where its dashboard is")


def command(url: str, tool: str, **arguments: object) -> None:
    """Steer the campaign, for marks in the charts."""
    body = json.dumps(arguments).encode()
    urlopen(Request(f"{url}api/call/{tool}", body, {"content-type": "application/json"})).read()  # noqa: S310


def picture(browser: Browser, url: str, name: str, size: tuple[int, int], scheme: str) -> None:
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(url)
    page.locator(".plot canvas").first.wait_for()
    page.locator("text=health:").wait_for(timeout=60_000)
    page.screenshot(path=FOLDER / f"{name}.png")
    context.close()


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as corpus:
        flags = ["--seed", "1", "--timeout", str(4 * seconds), "--quiet", "--dashboard-port", "0", "--mcp-auth", "none"]
        line = [sys.executable, "-m", "orchestrator", "fuzz", TARGET, *flags, "--corpus-dir", corpus]
        with subprocess.Popen(line, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            try:
                url = address(process.stderr)
                time.sleep(seconds / 2)
                command(url, "inject_transaction", sequence=["addLiquidity(1000, 1000)"])
                time.sleep(seconds / 4)
                command(url, "set_workers", workers=3)
                time.sleep(seconds / 4)
                with sync_playwright() as playwright:
                    browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
                    for name, width, height, scheme in PICTURES:
                        picture(browser, url, name, (width, height), scheme)
                    browser.close()
            finally:
                process.terminate()


if __name__ == "__main__":
    main()
