"""The reference pages say what the program does."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.configuration.keys import FIELDS
from orchestrator.reference_pages import PAGES, with_generated_part

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", PAGES)
def test_a_reference_page_is_up_to_date(page: str) -> None:
    """After a change of keys or flags: `python -m orchestrator.reference_pages`."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert with_generated_part(text, PAGES[page]()) == text


def test_every_key_is_on_the_configuration_page() -> None:
    """With its default and its allowed form."""
    text = (ROOT / "docs/reference/configuration.md").read_text(encoding="utf-8")
    assert [key for key in FIELDS if f"\n| `{key}` | `" not in text] == []


def test_a_page_without_markers_is_refused() -> None:
    """Nothing of a page is overwritten by mistake."""
    with pytest.raises(ValueError, match="lacks"):
        with_generated_part("# A page\n", "text")
