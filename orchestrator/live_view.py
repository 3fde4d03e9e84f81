"""The live view of a campaign on a terminal: one calm picture, drawn on stderr four times a second."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

import trio
from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from orchestrator.figures import count, duration
from orchestrator.history import History
from orchestrator.live_rows import event_rows, figure_rows, row, test_rows, title_row, worker_rows
from orchestrator.snapshot import CampaignSnapshot
from simulator.printable import one_line

InThread = Callable[..., Awaitable[object]]

FRAME_INTERVAL: Final = 0.25
WIDEST: Final = 110
NARROWEST: Final = 40
LAST_WORDS: Final = 1.0
# From this many rows below the figures, tests leave half of them to the rest.
_ROOMY: Final = 10
_MIN_EVENTS: Final = 3
_MAX_EVENTS: Final = 8


def render(snapshot: CampaignSnapshot, history: History, width: int, height: int) -> RenderableType:
    """The picture, at most `width` columns and `height` - 1 rows, so that a terminal of that size never scrolls.

    Sections give way in this order when rows are short: events, workers, tests; the figures stay.
    """
    width = max(NARROWEST, min(width, WIDEST))
    inner = width - 4
    figures = figure_rows(snapshot, history, inner)
    rows = _shares(height - 3 - len(figures), len(snapshot.tests), len(snapshot.workers))
    return Panel(
        Group(
            *figures,
            *_section("tests", test_rows(snapshot, inner, rows.tests)),
            *_section("workers", worker_rows(snapshot, rows.workers)),
            *_section("events", event_rows(snapshot, rows.events)),
        ),
        box=box.ROUNDED,
        border_style="bright_black",
        title=title_row(snapshot, inner),
        title_align="left",
        subtitle=Text(f"seed {snapshot.seed}", style="bright_black"),
        subtitle_align="right",
        width=width,
        padding=(0, 1),
    )


def render_last(snapshot: CampaignSnapshot, width: int) -> RenderableType:
    """The one line that stays above the report. Calls, their mean and the seconds are those of fuzzing."""
    line = row(
        ("monotreme ", "cyan"),
        (one_line(snapshot.target), "bold cyan"),
        f"  {count(snapshot.calls)} calls in {duration(snapshot.fuzzing_seconds)}",
        f", {count(snapshot.mean_calls_per_second)} calls/s, {count(snapshot.coverage_points)} points",
    )
    line.truncate(width, overflow="ellipsis")
    return line


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of each section, without its heading; 0 leaves the section out."""

    tests: int
    workers: int
    events: int


def _shares(room: int, tests: int, workers: int) -> _Rows:
    """Share out the rows below the figures. A section costs one row more than it shows."""
    tests_shown = min(tests, room - 1 if room < _ROOMY else room // 2 - 1)
    room -= tests_shown + 1
    workers_shown = min(workers, room - 1 - _MIN_EVENTS)
    if workers_shown < min(workers, 2):
        workers_shown = min(workers, room - 1)
    room -= workers_shown + 1 if workers_shown > 0 else 0
    return _Rows(max(0, tests_shown), max(0, workers_shown), max(0, min(room - 1, _MAX_EVENTS)))


def _section(title: str, rows: Sequence[Text]) -> list[RenderableType]:
    if not rows:
        return []
    return [Rule(Text(title, style="bright_black"), align="left", style="grey23"), *rows]


async def show_live_view(
    read: Callable[[], CampaignSnapshot], console: Console, in_thread: InThread = trio.to_thread.run_sync
) -> None:
    """Draw the campaign on a terminal until cancelled, then leave one line of it, or nothing if fuzzing never began.

    Frames are drawn in a thread: a paused terminal holds up the picture and nothing else.
    """
    history = History()
    live = Live(
        console=console, auto_refresh=False, vertical_overflow="crop", redirect_stdout=False, redirect_stderr=False
    )

    def draw(picture: RenderableType) -> None:
        live.update(picture, refresh=True)

    live.start()
    try:
        while True:
            snapshot = read()
            history = history.add(snapshot)
            await in_thread(draw, render(snapshot, history, console.width, console.height))
            await trio.sleep(FRAME_INTERVAL)
    finally:
        with trio.move_on_after(LAST_WORDS, shield=True):
            snapshot = read()
            if snapshot.phase in ("compiling", "deploying"):
                live.transient = True
            else:
                await in_thread(draw, render_last(snapshot, console.width), abandon_on_cancel=True)
        live.stop()
