"""Display of a running campaign: a live view, status lines, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

import trio

from orchestrator.configuration.request import Display
from orchestrator.snapshot import CampaignSnapshot
from orchestrator.streams import is_terminal, write_stderr

if TYPE_CHECKING:
    from orchestrator.live_view import ObservedCampaign


async def show_campaign(
    display: Display, read: Callable[[], CampaignSnapshot], observed: ObservedCampaign | None = None
) -> None:
    """Show the campaign on stderr until cancelled. `read` returns the latest snapshot; it must not block. With
    `observed`, keys of a terminal choose what is shown, and command the campaign."""
    match display:
        case "live":
            from orchestrator.console import stderr_console
            from orchestrator.live_view import show_live_view

            console = stderr_console()
            if observed is not None and is_terminal(sys.stdin):
                from orchestrator.live_view import show_with_keys

                await show_with_keys(observed, console, sys.stdin.fileno())
            else:
                await show_live_view(read, console)
        case "status":
            from orchestrator.status_line import show_status_lines

            await show_status_lines(read, write_stderr)
        case "none":
            await trio.sleep_forever()
        case _:
            assert_never(display)
