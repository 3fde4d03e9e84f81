"""Display of a running campaign: a live view, status lines, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

import trio

from orchestrator.configuration.request import Display
from orchestrator.snapshot import CampaignSnapshot
from orchestrator.streams import write_stderr


async def show_campaign(display: Display, read: Callable[[], CampaignSnapshot]) -> None:
    """Show the campaign on stderr until cancelled. `read` returns the latest snapshot; it must not block."""
    match display:
        case "live":
            from orchestrator.console import stderr_console
            from orchestrator.live_view import show_live_view

            await show_live_view(read, stderr_console())
        case "status":
            from orchestrator.status_line import show_status_lines

            await show_status_lines(read, write_stderr)
        case "none":
            await trio.sleep_forever()
        case _:
            assert_never(display)
