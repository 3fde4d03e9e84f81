"""The one rich console on stderr: whatever shares it with the live view is printed above the picture, not across it."""

from __future__ import annotations

from functools import cache

from rich.console import Console


@cache
def stderr_console() -> Console:
    """The process's console on stderr. rich honours NO_COLOR, TERM and the terminal's size."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)
