"""The health of a campaign in the text report: one line when all is well, and a line or two for each point."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.report.paint import Paint, Style
from simulator.health.model import CampaignHealth, Growth, HealthPoint, Verdict
from simulator.printable import one_line, shortened

MAX_SHOWN = 12
MAX_NOTES = 3
MAX_TEXT = 400
_STYLES: dict[Verdict, Style] = {"sound": "green", "thin": "yellow", "vacuous": "red"}


def health_lines(health: CampaignHealth, paint: Paint) -> Iterator[str]:
    """At most five lines for a sound campaign."""
    yield f"Health: {paint(health.verdict, _STYLES[health.verdict], 'bold')}"
    if health.summary:
        yield f"  {one_line(health.summary)}"
    if health.growth is not None:
        yield f"  {_growth(health.growth)}"
    weakening = [point for point in health.points if point.weakens]
    for point in weakening[:MAX_SHOWN]:
        yield from _point(point, paint)
    notes = [point for point in health.points if not point.weakens]
    if weakening:
        for point in notes[:MAX_NOTES]:
            yield from _point(point, paint)
    hidden = max(0, len(weakening) - MAX_SHOWN) + len(notes) - (min(len(notes), MAX_NOTES) if weakening else 0)
    hidden += health.omitted
    if hidden:
        yield f"  {hidden:,} more in the JSON and HTML reports"
    if weakening:
        yield paint(f"  looked at: {one_line('; '.join(health.looked_at))}", "dim")
    elif health.looked_at[1:]:
        # A verdict that rests on less says so.
        yield paint(f"  {one_line('; '.join(health.looked_at[1:]))}", "dim")


def _point(point: HealthPoint, paint: Paint) -> Iterator[str]:
    place = f"{point.file}:{point.line}"
    place = f"{place}: " if point.line and place not in point.text else ""
    yield f"  {paint('-', 'bold')} {one_line(shortened(place + point.text, MAX_TEXT))}"
    yield paint(f"    next: {one_line(shortened(point.next_step, MAX_TEXT))}", "dim")


def _growth(growth: Growth) -> str:
    left = growth.estimate - growth.places
    between = f" (95 %: {growth.low - growth.places:.0f} to {growth.high - growth.places:.0f})" if left >= 1 else ""
    return (
        f"{growth.late_share:.1%} of the coverage came in the second half of the calls; "
        f"about {max(left, 0):.0f} more of {growth.places:,} places within reach{between}, by Chao's estimate"
    )
