"""The rows of the live view: each one line of text that is cut, never wrapped, at the width of the picture."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from orchestrator.figures import count, duration, percent, size, sparkline
from orchestrator.history import History
from orchestrator.snapshot import (
    STALE_SECONDS,
    CampaignSnapshot,
    ShrinkSnapshot,
    TestSnapshot,
    TestState,
    WorkerSnapshot,
)
from simulator.printable import one_line, shortened

_LABEL: Final = 10
_CURVE: Final = 24
_NAME: Final = 36

_MARKS: dict[TestState, tuple[str, str, str]] = {
    "open": ("·", "dim", "fuzzing"),
    "shrinking": ("✗", "yellow", "shrinking"),
    "solved": ("✗", "bold red", "failed"),
    "passed": ("✓", "green", "passed"),
    "skipped": ("-", "yellow", "skipped"),
    "error": ("!", "bold magenta", "error"),
}
# Rows that the user must see first when there is no room for all.
_URGENCY: dict[TestState, int] = {"error": 0, "shrinking": 1, "solved": 2, "open": 3, "skipped": 4, "passed": 5}


def row(*parts: str | Text | tuple[str, str]) -> Text:
    return Text.assemble(*parts, no_wrap=True, overflow="ellipsis")


def title_row(snapshot: CampaignSnapshot, width: int) -> Text:
    title = row(("monotreme ", "cyan"), (one_line(snapshot.target), "bold cyan"), (f" {snapshot.mode}", "bright_black"))
    title.truncate(width - 2, overflow="ellipsis")
    return title


def figure_rows(snapshot: CampaignSnapshot, history: History, width: int) -> list[Text]:
    if snapshot.phase in ("compiling", "deploying"):
        activity = one_line(snapshot.activity) or "…"
        return [row((f"{snapshot.phase:<{_LABEL}}", "cyan"), activity, (f"  {duration(snapshot.elapsed)}", "dim"))]
    curve = max(0, min(_CURVE, width - 50))
    covered = history.coverage_curve(curve)
    return [
        _time_row(snapshot, curve),
        _calls_row(snapshot, curve),
        _figure_row(
            "calls/s",
            count(snapshot.calls_per_second),
            (f"{sparkline(history.speeds, curve, floor=0):<{curve}}", "cyan"),
            f"mean {count(snapshot.mean_calls_per_second)}" + _silence(snapshot),
        ),
        _figure_row(
            "coverage",
            count(snapshot.coverage_points),
            (f"{sparkline(covered, curve, floor=0):<{curve}}", "green"),
            _lines(snapshot),
        ),
        _figure_row("corpus", count(snapshot.corpus_sequences), (f"{'sequences':<{curve}}", "dim"), _age(snapshot)),
    ]


def _figure_row(label: str, figure: str, picture: tuple[str, str] | Text, detail: str, style: str = "dim") -> Text:
    return row((f"{label:<{_LABEL}}", style), (f"{figure:>13} ", "bold"), picture, (f"  {detail}", "dim"))


def _bar(fraction: float, width: int) -> Text:
    full = round(min(1.0, fraction) * width)
    return Text.assemble(("━" * full, "cyan"), ("━" * (width - full), "grey23"))


def _time_row(snapshot: CampaignSnapshot, width: int) -> Text:
    clock = duration(snapshot.fuzzing_seconds or snapshot.elapsed)
    limit = snapshot.time_limit
    picture = _bar(snapshot.fuzzing_seconds / limit, width) if limit else Text(" " * width)
    label = "paused" if snapshot.paused else snapshot.phase
    return _figure_row(label, clock, picture, f"of {duration(limit)}" if limit else "", "cyan")


def _calls_row(snapshot: CampaignSnapshot, width: int) -> Text:
    limit = snapshot.call_limit
    picture = _bar(snapshot.calls / limit, width) if limit else Text(" " * width)
    return _figure_row("calls", count(snapshot.calls), picture, f"of {count(limit)}" if limit else "")


def _lines(snapshot: CampaignSnapshot) -> str:
    if snapshot.lines_covered is None or not snapshot.lines_total:
        return "points"
    share = percent(snapshot.lines_covered, snapshot.lines_total)
    return f"{snapshot.lines_covered}/{snapshot.lines_total} lines, {share}"


def _silence(snapshot: CampaignSnapshot) -> str:
    return f", as of {duration(snapshot.age)} ago" if snapshot.is_stale else ""


def _age(snapshot: CampaignSnapshot) -> str:
    age = snapshot.seconds_since_coverage
    return "" if age is None else f"new coverage {duration(age)} ago"


def test_rows(snapshot: CampaignSnapshot, width: int, rows: int) -> list[Text]:
    shrinks = {one.test: one for one in snapshot.shrinks}
    ordered = sorted(snapshot.tests, key=lambda test: _URGENCY[test.state])
    if not rows:
        return []
    shown = ordered if len(ordered) <= rows else ordered[: rows - 1]
    column = min(_NAME, width // 2, max((len(test.name) for test in shown), default=0))
    lines = [_test_row(test, shrinks.get(test.name), column) for test in shown]
    if len(shown) == len(ordered):
        return lines
    return [*lines, row((f"  … {len(ordered) - rows + 1} more", "dim"))]


def _test_row(test: TestSnapshot, shrink: ShrinkSnapshot | None, column: int) -> Text:
    mark, style, word = _MARKS[test.state]
    detail = one_line(test.detail)
    if shrink is not None:
        detail = f"{count(shrink.attempts)}/{count(shrink.limit)} tries, {shrink.sequence_length} calls left"
    name = one_line(test.name)
    shown = shortened(name, column)
    return row((f"{mark} ", style), f"{shown:<{column}} ", (f"{word:<11}", style), (detail, "dim"))


def worker_rows(snapshot: CampaignSnapshot, rows: int) -> list[Text]:
    workers = snapshot.workers
    if not rows:
        return []
    if len(workers) <= rows:
        return [_worker_row(worker) for worker in workers]
    rest = workers[rows - 1 :]
    speed = sum(worker.calls_per_second for worker in rest)
    summary = f"  … {len(rest)} more, {count(speed)} calls/s"
    return [*(_worker_row(worker) for worker in workers[: rows - 1]), row((summary, "dim"))]


def _worker_row(worker: WorkerSnapshot) -> Text:
    style = {"fuzzing": "green", "shrinking": "yellow", "restarting": "magenta", "failed": "bold red"}.get(
        worker.state, "dim"
    )
    memory = size(worker.resident_memory) if worker.resident_memory else ""
    restarts = f"restarts: {worker.restarts}" if worker.restarts else ""
    silent = f"silent for {duration(worker.age)}  " if worker.age >= STALE_SECONDS else ""
    return row(
        (f"{worker.index:>3} ", "dim"),
        (f"{worker.state:<11}", style),
        f"{count(worker.calls_per_second):>11} ",
        ("calls/s", "dim"),
        (f"{memory:>10}  ", ""),
        (silent, "yellow"),
        (f"{restarts}  " if restarts and worker.node else restarts, "magenta"),
        (f"on {one_line(worker.node)}" if worker.node else "", "dim"),
    )


def event_rows(snapshot: CampaignSnapshot, rows: int) -> list[Text]:
    shown = snapshot.messages[-rows:] if rows > 0 else ()
    return [row((one_line(message), "dim")) for message in shown]
