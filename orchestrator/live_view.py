"""The live view of a campaign on a terminal: one calm picture, drawn on stderr four times a second."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

import trio
from rich import box
from rich.console import Console, Group, RenderableType
from rich.control import Control
from rich.live import Live
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from orchestrator.figures import count, duration
from orchestrator.history import History
from orchestrator.live_rows import event_rows, figure_rows, row, test_rows, title_row, worker_rows
from orchestrator.snapshot import CampaignSnapshot, FindingSnapshot
from orchestrator.terminal.controls import KEY_LINE, Commanded, LiveControls, Page
from orchestrator.terminal.keyboard import Keyboard
from orchestrator.terminal.pages import page_rows
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


@dataclass(frozen=True, slots=True)
class OpenPage:
    """Page that keys have opened: a page in place of the sections, with the findings it may show, and the last row."""

    page: Page = "overview"
    findings: tuple[FindingSnapshot, ...] = ()
    footer: str = ""


NO_KEYS: Final = OpenPage()


def render(
    snapshot: CampaignSnapshot, history: History, width: int, height: int, opened: OpenPage = NO_KEYS
) -> RenderableType:
    """The picture, at most `width` columns and `height` - 1 rows, so that a terminal of that size never scrolls.

    Sections give way in this order when rows are short: events, workers, tests; the figures stay.
    """
    width = max(NARROWEST, min(width, WIDEST))
    inner = width - 4
    figures = figure_rows(snapshot, history, inner)
    footer = [row((one_line(opened.footer), "dim"))] if opened.footer else []
    room = height - 3 - len(figures) - len(footer)
    if opened.page == "overview":
        sections = _overview(snapshot, inner, room)
    else:
        sections = _section(opened.page, page_rows(opened.page, snapshot, opened.findings, max(0, room - 1)))
    return Panel(
        Group(*figures, *sections, *footer),
        box=box.ROUNDED,
        border_style="bright_black",
        title=title_row(snapshot, inner),
        title_align="left",
        subtitle=Text(f"seed {snapshot.seed}", style="bright_black"),
        subtitle_align="right",
        width=width,
        padding=(0, 1),
    )


def _overview(snapshot: CampaignSnapshot, inner: int, room: int) -> list[RenderableType]:
    rows = _shares(room, len(snapshot.tests), len(snapshot.workers))
    return [
        *_section("tests", test_rows(snapshot, inner, rows.tests)),
        *_section("workers", worker_rows(snapshot, rows.workers)),
        *_section("events", event_rows(snapshot, rows.events)),
    ]


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


class ObservedCampaign(Protocol):
    """A campaign that keys command: `orchestrator.assembly.observation.Observation`."""

    def read(self) -> CampaignSnapshot: ...

    def campaign(self) -> Commanded | None: ...

    def findings(self) -> tuple[FindingSnapshot, ...]: ...


async def show_with_keys(observed: ObservedCampaign, console: Console, keyboard: int) -> None:
    """The live view of a terminal whose keys come from the descriptor `keyboard`."""
    controls = LiveControls(observed.campaign, observed.read)
    keys, pressed = Keyboard(keyboard), trio.Event()

    def opened() -> OpenPage:
        findings = observed.findings() if controls.page == "findings" else ()
        return OpenPage(controls.page, findings, controls.notice or KEY_LINE)

    async def listen() -> None:
        nonlocal pressed
        async for key in keys.keys():
            controls.notice = ""
            await controls.press(key)
            pressed.set()
            pressed = trio.Event()

    async def until_key() -> None:
        await pressed.wait()

    async with trio.open_nursery() as nursery:
        await nursery.start(keys.follow_stops, console.file.fileno())
        with keys.open():
            nursery.start_soon(listen)
            await show_live_view(observed.read, console, opened=opened, until_key=until_key)


async def show_live_view(
    read: Callable[[], CampaignSnapshot],
    console: Console,
    in_thread: InThread = trio.to_thread.run_sync,
    opened: Callable[[], OpenPage] = lambda: NO_KEYS,
    until_key: Callable[[], Awaitable[None]] = trio.sleep_forever,
) -> None:
    """Draw the campaign on a terminal until cancelled, then leave one line of it, or nothing if fuzzing never began.

    Frames are drawn in a thread: a paused terminal holds up the picture and nothing else. The next one comes when a key
    was pressed, or after a while.
    """
    history, size = History(), console.size
    live = Live(
        console=console, auto_refresh=False, vertical_overflow="crop", redirect_stdout=False, redirect_stderr=False
    )

    def draw(picture: RenderableType, *, cleared: bool = False) -> None:
        if cleared:
            # A terminal that was made narrower has wrapped the rows of the last picture: nobody knows where it begins.
            console.control(Control.clear(), Control.home())
        live.update(picture, refresh=True)

    live.start()
    try:
        while True:
            snapshot = read()
            history = history.add(snapshot)
            before, size = size, console.size
            picture = render(snapshot, history, size.width, size.height, opened())
            await in_thread(partial(draw, picture, cleared=size != before))
            with trio.move_on_after(FRAME_INTERVAL):
                await until_key()
    finally:
        with trio.move_on_after(LAST_WORDS, shield=True):
            snapshot = read()
            if snapshot.phase in ("compiling", "deploying"):
                live.transient = True
            else:
                await in_thread(draw, render_last(snapshot, console.width), abandon_on_cancel=True)
        live.stop()
