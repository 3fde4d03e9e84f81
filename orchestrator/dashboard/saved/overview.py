"""Several campaigns side by side, from the folders below one: what came of each, in a line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, Literal

import msgspec

from orchestrator.checkpoint.file import checkpoint_of
from orchestrator.figures import duration
from orchestrator.report.errors import ReportRequestError
from orchestrator.report.model import CampaignReport, ReportPart
from orchestrator.report.paint import Paint, Style
from orchestrator.report.saved import REPORT_FILE, read_report
from simulator.health.model import Verdict
from simulator.printable import one_line, shown_path

MAX_CAMPAIGNS: Final = 1_000
"""Folders that are looked into, the first by name."""


class CampaignFacts(ReportPart, frozen=True):
    """One campaign of a folder. `problem` says why its report cannot be shown; everything else is empty then. Coverage
    is 0..100, null where nothing was measured, and `health` null where nobody looked at it."""

    folder: str
    target: str = ""
    mode: str = ""
    tests: int = 0
    failed: int = 0
    calls: int = 0
    seconds: float = 0.0
    line_coverage: float | None = None
    health: Verdict | None = None
    problem: str = ""


class Overview(ReportPart, frozen=True):
    """The campaigns below a folder, by name of their folders."""

    schema: Literal[1]
    campaigns: tuple[CampaignFacts, ...]


def overview_of(folder: Path) -> Overview | None:
    """Return the campaigns of the folders directly below, None where there is none or the folder is a campaign itself.
    Links are not followed. Blocks on the disk. Raises `ReportRequestError`."""
    if not folder.is_dir() or _is_campaign(folder):
        return None
    try:
        entries = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except OSError as error:
        raise ReportRequestError(f"{shown_path(folder)}: cannot be read: {error.strerror}") from error
    found = tuple(islice(_facts(folder, entries), MAX_CAMPAIGNS))
    return Overview(1, found) if found else None


def _is_campaign(folder: Path) -> bool:
    return os.path.lexists(folder / REPORT_FILE) or os.path.lexists(checkpoint_of(folder))


def _facts(folder: Path, names: list[str]) -> Iterator[CampaignFacts]:
    for name in names:
        place = folder / name
        shown = shown_path(place)
        if os.path.lexists(place / REPORT_FILE):
            try:
                yield _of(shown, read_report(place))
            except ReportRequestError as error:
                yield CampaignFacts(shown, problem=one_line(str(error)))
        elif os.path.lexists(checkpoint_of(place)):
            yield CampaignFacts(shown, problem="it has not come to its report: it runs still, or its program died")


def _of(folder: str, report: CampaignReport) -> CampaignFacts:
    campaign = report.campaign
    return CampaignFacts(
        folder,
        campaign.target,
        campaign.mode,
        len(report.tests),
        sum(test.status in ("falsified", "error") for test in report.tests),
        campaign.calls,
        round(campaign.duration, 1),
        report.coverage.line_coverage if any(each.lines_found for each in report.coverage.contracts) else None,
        report.health.verdict if report.health is not msgspec.UNSET and report.health is not None else None,
    )


def render_overview_json(overview: Overview) -> str:
    """One JSON document."""
    return msgspec.json.format(msgspec.json.encode(overview), indent=2).decode() + "\n"


def render_overview_text(overview: Overview, *, color: bool) -> str:
    """A line for each campaign, then how many there are."""
    paint, campaigns = Paint(color=color), overview.campaigns
    names = [one_line(each.target.rpartition(":")[2]) or "?" for each in campaigns]
    width = max(map(len, names))
    lines = []
    for name, each in zip(names, campaigns, strict=True):
        lines.append(f"{paint(f'{name:<{width}}', 'bold')}  {_line(each, paint)}")
        lines.append(f"{'':<{width}}  {paint(f'monotreme show {each.folder}', 'dim')}")
    failed = sum(each.failed > 0 for each in campaigns)
    unknown = sum(bool(each.problem) for each in campaigns)
    noun = "campaign" if len(campaigns) == 1 else "campaigns"
    total = f"{len(campaigns)} {noun}: {failed} with a test that failed" + (f", {unknown} unknown" if unknown else "")
    return "\n".join([*lines, "", paint(total, "red" if failed else "yellow" if unknown else "green", "bold"), ""])


def _line(each: CampaignFacts, paint: Paint) -> str:
    if each.problem:
        return paint(each.problem, "yellow")
    style: Style = "red" if each.failed else "green"
    noun = "test" if each.tests == 1 else "tests"
    verdict = paint(
        f"{each.failed} of {each.tests} {noun} failed" if each.failed else f"{each.tests} {noun}, no failure", style
    )
    coverage = f"{each.line_coverage:.1f}% of lines" if each.line_coverage is not None else "no coverage"
    health = f", health {each.health}" if each.health else ""
    return f"{verdict}{health}, {each.calls:,} calls in {duration(each.seconds)}, {coverage}, {each.mode} mode"
