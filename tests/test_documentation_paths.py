"""Documents name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SOURCES = {
    path.relative_to(ROOT).as_posix()
    for room in ("simulator", "actors", "tools", "orchestrator", "tests", "benchmarks", "docs", "examples")
    for suffix in ("*.py", "*.js")
    for path in (ROOT / room).rglob(suffix)
}
_NAMED = re.compile(r"`([\w./-]+\.(?:py|js))(?:::\w+)?`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_source_file_that_a_page_names_exists(page: Path) -> None:
    """A file is named by its path, or by the end of it."""
    named = _NAMED.findall(page.read_text(encoding="utf-8"))
    missing = [name for name in named if not any(f"/{source}".endswith(f"/{name}") for source in SOURCES)]
    assert missing == []
