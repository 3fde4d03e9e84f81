"""Views of a running campaign: figures, history, status line, live view."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime

import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from actors.runtime.errors import CampaignEnding
from orchestrator.display import show_campaign
from orchestrator.history import RECENT, WHOLE, History
from orchestrator.live_view import OpenPage, render, render_last, show_live_view
from orchestrator.snapshot import CampaignSnapshot, FindingSnapshot, Phase, ShrinkSnapshot, TestSnapshot, WorkerSnapshot
from orchestrator.status_line import new_messages, show_status_lines, status_line
from orchestrator.terminal.controls import LiveControls, Page
from orchestrator.terminal.pages import page_rows
from simulator.coverage.summary import ContractCoverage

SNAPSHOT = CampaignSnapshot(
    target="Vault",
    mode="property",
    phase="fuzzing",
    seed=4229839223,
    elapsed=41.0,
    fuzzing_seconds=39.0,
    calls=1203332,
    call_limit=50_000_000,
    time_limit=60.0,
    calls_per_second=812_203.4,
    mean_calls_per_second=800_000.0,
    coverage_points=1032,
    lines_covered=85,
    lines_total=120,
    seconds_since_coverage=12.5,
    corpus_sequences=12,
    tests=(
        TestSnapshot("echidna_open", "open"),
        TestSnapshot("echidna_broken", "shrinking", "returned false"),
        TestSnapshot("echidna_done", "solved", "returned false"),
        TestSnapshot("echidna_bad", "error", "the constructor reverted"),
    ),
    workers=(WorkerSnapshot(0, "fuzzing", 612_345, 143_000_000), WorkerSnapshot(1, "shrinking", 199_858, 0, 2)),
    shrinks=(ShrinkSnapshot("echidna_broken", 1, 1203, 5000, 7),),
    messages=("worker 0: new coverage", "worker 1: echidna_broken failed"),
    message_count=9,
)


def picture(snapshot: CampaignSnapshot, width: int = 80, height: int = 24) -> list[str]:
    console = Console(file=io.StringIO(), width=max(width, 40), height=height, color_system=None)
    with console.capture() as capture:
        console.print(render(snapshot, History().add(snapshot), width, height))
    return capture.get().splitlines()


def test_history_samples_once_a_second_and_stays_bounded() -> None:
    """Ten hours at four frames a second fit into a fixed number of samples that still span the campaign."""
    history = History()
    for quarter in range(0, 36_000 * 4, 2):
        snapshot = msgspec.structs.replace(SNAPSHOT, elapsed=quarter / 4, coverage_points=quarter)
        history = history.add(snapshot)
    assert len(history.speeds) == RECENT
    assert WHOLE // 2 <= len(history.coverage) <= WHOLE
    assert history.coverage[0] < 36_000 * 4 * 0.02
    assert history.coverage[-1] > 36_000 * 4 * 0.98
    assert list(history.coverage) == sorted(history.coverage)


def test_history_begins_with_fuzzing() -> None:
    """Compilation is no zero on the curve."""
    assert History().add(msgspec.structs.replace(SNAPSHOT, phase="compiling")).coverage == ()


@given(st.integers(0, WHOLE), st.integers(-1, 60))
def test_the_coverage_curve_fits_and_ends_at_the_present(samples: int, width: int) -> None:
    """At most the asked-for width, the last sample last."""
    curve = History(coverage=tuple(range(samples))).coverage_curve(width)
    assert len(curve) <= max(0, width)
    if samples and width > 0:
        assert curve[-1] == samples - 1


def test_the_status_line_has_echidnas_form() -> None:
    """The fields that Echidna users look for, in their order."""
    assert status_line(SNAPSHOT) == (
        "tests: 2/4, fuzzing: 1203332/50000000 (39s of 1m 00s), calls/s: 812,203, cov: 1032, corpus: 12, "
        "shrinking: W1:1203/5000(7)"
    )


def test_the_status_line_says_what_happens_before_fuzzing() -> None:
    """No row of zeros while the compiler runs."""
    compiling = msgspec.structs.replace(SNAPSHOT, target="A\x1b[2J.sol", phase="compiling", activity="solc 0.8.30")
    assert status_line(compiling) == "compiling A\\x1b[2J.sol: solc 0.8.30"


def test_the_status_line_of_an_optimization_has_its_values() -> None:
    """As in Echidna, beside the count of tests."""
    snapshot = msgspec.structs.replace(SNAPSHOT, mode="optimization", tests=(TestSnapshot("f", "open", "17"),))
    assert ", values: [17], " in status_line(snapshot)


@pytest.mark.parametrize(("seen", "fresh"), [(9, 0), (8, 1), (7, 2), (0, 2), (10, 0)])
def test_only_messages_not_yet_seen_are_new(seen: int, fresh: int) -> None:
    """As far as the snapshot still holds them."""
    messages = SNAPSHOT.messages
    assert new_messages(SNAPSHOT, seen) == messages[len(messages) - fresh :]


async def at_once(function: Callable[..., object], *arguments: object, abandon_on_cancel: bool = False) -> None:
    """In place of a thread, whose steps a mocked clock would not wait for."""
    function(*arguments)


async def test_a_status_line_comes_every_half_minute_and_once_at_the_end(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Messages once each, the final state on the way out."""
    lines: list[str] = []
    with trio.move_on_after(62):
        await show_status_lines(lambda: SNAPSHOT, lines.append, lambda: datetime(2026, 11, 21, 22, 15, 3), at_once)
    status = f"[2026-11-21 22:15:03] [status] {status_line(SNAPSHOT)}"
    messages = [f"[2026-11-21 22:15:03] {message}" for message in SNAPSHOT.messages]
    assert lines == [*messages, *[status] * 3, status.replace("812,203", "800,000")]


async def test_a_status_line_comes_when_something_but_the_calls_has_changed(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Within three seconds: new coverage at 10 s, a message at 20 s."""
    times: list[float] = []

    def read() -> CampaignSnapshot:
        now = trio.current_time() - began
        return msgspec.structs.replace(
            SNAPSHOT,
            calls=int(now * 1000),
            coverage_points=1032 if now < 10 else 1033,
            messages=("found",) if now >= 20 else (),
            message_count=int(now >= 20),
        )

    began = trio.current_time()
    with trio.move_on_after(25):
        write = lambda line: times.append(trio.current_time() - began)  # noqa: E731
        await show_status_lines(read, write, datetime.now, at_once)
    assert [round(each) for each in times] == [0, 12, 21, 21, 25]


@pytest.mark.parametrize("phase", ["compiling", "deploying"])
async def test_an_equal_status_before_fuzzing_is_only_a_sign_of_life(
    autojump_clock: trio.testing.MockClock, phase: Phase
) -> None:
    """A long compilation does not fill a log with one line."""
    early = msgspec.structs.replace(SNAPSHOT, phase=phase, messages=(), message_count=0, activity="43 files")
    lines: list[str] = []
    with trio.move_on_after(70):
        await show_status_lines(lambda: early, lines.append, lambda: datetime(2026, 11, 21, 22, 15, 3), at_once)
    assert lines == [f"[2026-11-21 22:15:03] [status] {status_line(early)}"] * 3


@pytest.mark.parametrize("phase", ["fuzzing", "shrinking", "reporting"])
async def test_the_last_status_has_the_mean_speed_and_comes_once(
    autojump_clock: trio.testing.MockClock, phase: Phase
) -> None:
    """Nothing runs any more, so the present speed would be 0; a line for people is not there twice."""
    idle = msgspec.structs.replace(SNAPSHOT, phase=phase, calls_per_second=0.0)
    lines: list[str] = []
    with trio.move_on_after(2):
        await show_status_lines(lambda: idle, lines.append, lambda: datetime(2026, 11, 21, 22, 15, 3), at_once)
    assert "calls/s: 800,000, " in lines[-1]
    assert len(set(lines)) == len(lines)


def test_the_picture_shows_what_matters() -> None:
    """Progress, speed, coverage, corpus, tests by urgency, workers, events and the seed."""
    text = "\n".join(picture(SNAPSHOT))
    for part in (
        "Vault property",
        "39s",
        "of 50,000,000",
        "812,203",
        "mean 800,000",
        "85/120 lines, 70 %",
        "new coverage 12s ago",
        "1,203/5,000 tries, 7 calls",
        "143 MB",
        "restarts: 2",
        "worker 1: echidna_broken failed",
        "seed 4229839223",
    ):
        assert part in text
    order = [text.index(name) for name in ("echidna_bad", "echidna_broken ", "echidna_done", "echidna_open")]
    assert order == sorted(order)


TEXTS = st.text(max_size=60)


@given(
    st.builds(
        CampaignSnapshot,
        target=TEXTS,
        mode=st.sampled_from(["property", "optimization"]),
        phase=st.sampled_from(["compiling", "replaying", "fuzzing", "finished"]),
        seed=st.integers(0, 2**63 - 1),
        calls=st.integers(0, 10**13),
        call_limit=st.none() | st.integers(0, 2**63 - 1),
        time_limit=st.none() | st.floats(0.01, 1e8),
        fuzzing_seconds=st.floats(0, 1e8),
        calls_per_second=st.floats(0, 1e9),
        lines_covered=st.none() | st.just(3),
        lines_total=st.none() | st.integers(0, 5),
        seconds_since_coverage=st.none() | st.floats(0, 1e8),
        tests=st.lists(st.builds(TestSnapshot, TEXTS, st.sampled_from(["open", "solved"]), TEXTS), max_size=60).map(
            tuple
        ),
        workers=st.lists(st.builds(WorkerSnapshot, st.integers(0, 255), st.just("fuzzing")), max_size=60).map(tuple),
        messages=st.lists(TEXTS, max_size=30).map(tuple),
    ),
    st.integers(20, 200),
    st.integers(9, 60),
)
def test_the_picture_fits_into_any_terminal(snapshot: CampaignSnapshot, width: int, height: int) -> None:
    """However many tests, workers and characters: no row too wide, one row to spare."""
    lines = picture(snapshot, width, height)
    assert len(lines) < height
    assert all(cell_len(line) <= max(width, 40) for line in lines)


def test_sections_give_way_when_rows_are_short() -> None:
    """Tests stay longest; what is left out is counted."""
    many = msgspec.structs.replace(SNAPSHOT, tests=SNAPSHOT.tests * 5)
    assert any("workers" in line for line in picture(many, height=24))
    small = picture(many, height=14)
    assert not any("workers" in line for line in small)
    assert any("more" in line for line in small)


def test_the_last_line_sums_the_campaign_up() -> None:
    """One row, cut at the width of the terminal."""
    console = Console(file=io.StringIO(), width=80, color_system=None)
    with console.capture() as capture:
        console.print(render_last(SNAPSHOT, 80))
    assert capture.get() == "monotreme Vault  1,203,332 calls in 39s, 800,000 calls/s, 1,032 points\n"


async def test_the_live_view_draws_until_cancelled_and_leaves_one_line(autojump_clock: trio.testing.MockClock) -> None:
    """Frames follow the snapshots; the picture is gone at the end."""
    output = io.StringIO()
    console = Console(file=output, width=80, height=24, force_terminal=True, color_system=None)
    frames = 0

    def read() -> CampaignSnapshot:
        nonlocal frames
        frames += 1
        return msgspec.structs.replace(SNAPSHOT, calls=frames)

    with trio.move_on_after(1):
        await show_live_view(read, console, at_once)
    assert frames == 5  # at 0, 0.25, 0.5 and 0.75 s, and the last line
    assert output.getvalue().rstrip("\x1b[?25h\n").endswith("5 calls in 39s, 800,000 calls/s, 1,032 points")


async def test_the_live_view_of_a_campaign_that_never_began_leaves_nothing(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """The error that follows says it all."""
    output = io.StringIO()
    console = Console(file=output, width=80, height=24, force_terminal=True, color_system=None)
    compiling = msgspec.structs.replace(SNAPSHOT, phase="compiling")
    with trio.move_on_after(1):
        await show_live_view(lambda: compiling, console, at_once)
    assert "points" not in output.getvalue()
    assert output.getvalue().endswith("\x1b[2K")


async def test_nothing_is_shown_when_nothing_is_asked_for(
    autojump_clock: trio.testing.MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    """The task only waits to be cancelled."""
    with trio.move_on_after(10):
        await show_campaign("none", lambda: SNAPSHOT)
    assert capsys.readouterr() == ("", "")


async def test_a_campaign_that_never_began_has_no_last_status(autojump_clock: trio.testing.MockClock) -> None:
    """The error that follows says it all."""
    lines: list[str] = []
    compiling = msgspec.structs.replace(SNAPSHOT, phase="compiling", messages=(), message_count=0)
    with trio.move_on_after(1):
        await show_status_lines(lambda: compiling, lines.append, datetime.now, at_once)
    assert len(lines) == 1


async def test_status_lines_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Also the last one, when the campaign ends at once."""
    with trio.CancelScope() as scope:
        scope.cancel()
        await show_campaign("status", lambda: SNAPSHOT)
    output, errors = capsys.readouterr()
    assert output == ""
    assert "[status] tests: 2/4" in errors.splitlines()[-1]


def test_stale_figures_say_so() -> None:
    """Where a worker has been silent for seconds, in every view; a late heartbeat is not worth a word."""
    silent = WorkerSnapshot(0, "fuzzing", 0.0, 143_000_000, 0, 75.0)
    stale = msgspec.structs.replace(SNAPSHOT, age=75.0, workers=(silent,))
    assert "a worker is silent for 1m 15s" in status_line(stale)
    shown = "\n".join(picture(stale, width=110))
    assert "as of 1m 15s ago" in shown
    assert "silent for 1m 15s" in shown
    late = msgspec.structs.replace(SNAPSHOT, age=2.0)
    assert "silent" not in status_line(late) + "\n".join(picture(late, width=110))


def test_a_worker_of_another_machine_names_it() -> None:
    far = WorkerSnapshot(0, "fuzzing", 612_345, 143_000_000, 2, node="10.0.0.7")
    near = WorkerSnapshot(1, "fuzzing", 612_345, 143_000_000, 2)
    shown = picture(msgspec.structs.replace(SNAPSHOT, workers=(far, near)), width=110)
    assert ["on 10.0.0.7" in line for line in shown if "restarts: 2" in line] == [True, False]


@given(st.sampled_from(["findings", "coverage", "workers", "help"]), st.integers(20, 200), st.integers(9, 60), TEXTS)
def test_a_page_fits_into_any_terminal(page: Page, width: int, height: int, text: str) -> None:
    """As the picture does, whatever is on the page."""
    contract = ContractCoverage(text, text, 50.0, 50.0, 1, 2, 1, 2)
    snapshot = msgspec.structs.replace(SNAPSHOT, contracts=(contract,) * 40, workers=SNAPSHOT.workers * 30)
    findings = (FindingSnapshot(text, text, text, (text,) * 9),) * 9
    console = Console(file=io.StringIO(), width=max(width, 40), height=height, color_system=None)
    with console.capture() as capture:
        console.print(render(snapshot, History(), width, height, OpenPage(page, findings, "keys")))
    lines = capture.get().splitlines()
    assert len(lines) < height
    assert all(cell_len(line) <= max(width, 40) for line in lines)


def test_the_coverage_page_begins_with_what_is_covered_least() -> None:
    """Those need a look."""
    contracts = tuple(
        ContractCoverage(name, "a.sol", share, 0.0, 1, 2, 0, 0) for name, share in (("A", 90.0), ("B", 5.0))
    )
    rows = page_rows("coverage", msgspec.structs.replace(SNAPSHOT, contracts=contracts), (), 10)
    assert [row.plain.split()[0] for row in rows] == ["B", "A"]


class _Refusing:
    async def ask(self, command: object, seconds: float) -> object:
        raise CampaignEnding("the campaign is ending")


async def test_a_key_whose_command_is_refused_says_why() -> None:
    """Also before there is a campaign."""
    controls = LiveControls(lambda: None, lambda: SNAPSHOT)
    await controls.press("p")
    assert controls.notice == "there is no campaign yet"
    controls.campaign = _Refusing
    await controls.press("s")
    assert controls.notice == "the campaign is ending"
