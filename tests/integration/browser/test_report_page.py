"""The HTML report in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.report.html import render_html
from simulator.coverage.file_coverage import FileCoverage, LineCount
from tests.support.dashboard_browser import BROWSER, browser

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (extra `test`)")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH: the report is not tested in a browser"),
]


def test_the_page_is_as_wide_as_a_phone_whatever_the_names(tmp_path: Path):
    """Only sources may be scrolled sideways, each within its own frame."""
    path = "contracts/" + "VeryLongName" * 20 + ".sol"
    file = FileCoverage(path, "contract A {" + " " * 300 + "}\n", (LineCount(1, 3, "A"),))
    page_file = tmp_path / "report.html"
    page_file.write_text(render_html((file,), title=path, generated=1_700_000_000))
    with browser(tmp_path / "profile", viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.goto(page_file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
