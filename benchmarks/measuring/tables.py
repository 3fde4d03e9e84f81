"""Markdown tables, and the place of a page where a benchmark writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.measuring.errors import BenchmarkError

BEGIN = "<!-- {name}: begin, written by `python -m benchmarks.{name} --write` -->"
END = "<!-- {name}: end -->"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """First column to the left, figures to the right."""
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def rate(value: float | None) -> str:
    """Calls per second to three digits: 12,300 or 1.23 M."""
    if value is None:
        return "–"
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    return f"{round(value, -2):,.0f}"


def write_between_markers(path: Path, name: str, lines: Sequence[str]) -> None:
    """Replace what stands between the markers of `name`. Raises `BenchmarkError` when the page lacks them."""
    before, after = between_markers(path, name)
    path.write_text(f"{before}\n\n" + "\n".join(lines) + f"\n\n{after}")


def between_markers(path: Path, name: str) -> tuple[str, str]:
    """The page up to the place where figures of `name` are written, and from there on, the markers included. Raises
    `BenchmarkError` when the page lacks them."""
    begin, end = BEGIN.format(name=name), END.format(name=name)
    before, found, rest = path.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise BenchmarkError(f"{path}: the markers `{begin}` and `{end}` are missing")
    return before + begin, end + after
