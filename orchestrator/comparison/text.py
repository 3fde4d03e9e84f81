"""A comparison for people, and as its JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from orchestrator.comparison.model import Comparison, FindingChange, Side, SourceChange
from orchestrator.report.model import TestStatus
from orchestrator.report.verdicts import VERDICTS
from simulator.encoding import encode_json
from simulator.printable import one_line, printable_json

_STATES = {
    "edited": "edited, so its lines are not compared",
    "added": "only in the second",
    "removed": "only in the first",
}


def render_comparison(comparison: Comparison) -> str:
    """All that differs, the most important first."""
    return "\n".join(line for block in _blocks(comparison) for line in block) + "\n"


def render_comparison_json(comparison: Comparison) -> str:
    """The document of schema 1."""
    return printable_json(msgspec.json.format(encode_json(comparison), indent=2).decode()) + "\n"


def _blocks(comparison: Comparison) -> Iterator[list[str]]:
    yield [f"note: {problem}" for problem in comparison.problems]
    yield _tests(comparison)
    yield _findings("New findings", comparison.new)
    yield _findings("Findings that are gone", comparison.fixed)
    yield _coverage(comparison)
    before, after = comparison.before, comparison.after
    times = f" ({comparison.speed:.2f} times)" if comparison.speed else ""
    yield [f"Speed: {_speed(before)} -> {_speed(after)}{times}", f"Verdict: {_verdict(comparison)}"]


def _verdict(comparison: Comparison) -> str:
    if comparison.worse:
        return "worse: a test fails or is missing, or a finding is new"
    return "not worse" if comparison.tests or comparison.fixed else "no test changed"


def _tests(comparison: Comparison) -> list[str]:
    if not comparison.tests:
        return ["Tests: none changed"]
    changes = (f"  {one_line(each.name)}: {_word(each.before)} -> {_word(each.after)}" for each in comparison.tests)
    return [f"Tests: {len(comparison.tests)} changed", *changes]


def _word(status: TestStatus | None) -> str:
    return VERDICTS[status].word if status is not None else "missing"


def _findings(title: str, found: Sequence[FindingChange]) -> list[str]:
    if not found:
        return []
    places = (f"  {one_line(each.test)}{_at(each.site)}: {one_line(each.reason)}" for each in found)
    return [f"{title}: {len(found)}", *places]


def _at(site: str) -> str:
    return f" at {one_line(site)}" if site else ""


def _coverage(comparison: Comparison) -> list[str]:
    before, after = comparison.before, comparison.after
    figures = f"{before.hit} of {before.lines} lines -> {after.hit} of {after.lines} lines"
    return [
        f"Coverage: {figures}; {comparison.won_lines} won, {comparison.lost_lines} lost",
        *(line for each in comparison.sources for line in _source(each)),
    ]


def _source(change: SourceChange) -> Iterator[str]:
    path = one_line(change.path)
    if change.state != "same":
        yield f"  {path}: {_STATES[change.state]}"
    if change.won:
        yield f"  {path}: won {change.won}"
    if change.lost:
        yield f"  {path}: lost {change.lost}"


def _speed(side: Side) -> str:
    return f"{side.calls_per_second:,.0f} calls/s with {side.workers} worker{'' if side.workers == 1 else 's'}"
