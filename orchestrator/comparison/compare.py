"""From two reports to what differs between them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from orchestrator.comparison.model import Comparison, FindingChange, Side, SourceChange, TestChange
from orchestrator.report.errors import ReportRequestError
from orchestrator.report.findings import findings
from orchestrator.report.model import CampaignReport, SourceLines, TestStatus
from orchestrator.report.sources.source_lines import as_ranges, from_ranges
from orchestrator.report.text import test_name
from simulator.printable import one_line


def compare(before: CampaignReport, after: CampaignReport) -> Comparison:
    """Return what the second campaign has that the first has not, and the reverse. Raises `ReportRequestError` for
    lines that are none."""
    tests = tuple(_tests(before, after))
    new, fixed = tuple(_findings(after, before)), tuple(_findings(before, after))
    sources = tuple(each for each in _sources(before, after) if each.state != "same" or each.won or each.lost)
    old_speed, new_speed = before.campaign.calls_per_second, after.campaign.calls_per_second
    return Comparison(
        worse=bool(new) or any(_is_worse(each) for each in tests),
        before=_side(before),
        after=_side(after),
        tests=tests,
        new=new,
        fixed=fixed,
        sources=sources,
        won_lines=sum(each.won_lines for each in sources),
        lost_lines=sum(each.lost_lines for each in sources),
        speed=round(new_speed / old_speed, 3) if old_speed > 0 else 0.0,
        problems=tuple(_problems(before, after)),
    )


def _side(report: CampaignReport) -> Side:
    campaign, contracts = report.campaign, report.coverage.contracts
    return Side(
        campaign.target,
        campaign.mode,
        campaign.seed,
        campaign.workers,
        campaign.calls,
        campaign.duration,
        campaign.calls_per_second,
        sum(each.lines_hit for each in contracts),
        sum(each.lines_found for each in contracts),
    )


def _tests(before: CampaignReport, after: CampaignReport) -> Iterator[TestChange]:
    # Sequences that kill workers are numbered as they come: as findings they are compared by what they call.
    old, new = (
        {(test.name, test.type, test.contract): test.status for test in report.tests if test.type != "crash"}
        for report in (before, after)
    )
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            yield TestChange(*key, before=old.get(key), after=new.get(key))


def _is_worse(change: TestChange) -> bool:
    """A test that passed and no longer does, one that is gone, or a new one that does not pass."""
    quality: dict[TestStatus | None, int] = {"passed": 2, None: 1}
    if change.before is None:
        return change.after != "passed"
    return quality.get(change.after, 0) < quality.get(change.before, 0)


def _findings(report: CampaignReport, other: CampaignReport) -> Iterator[FindingChange]:
    known = {finding.fingerprint for _, finding in findings(other)}
    for test, finding in findings(report):
        if finding.fingerprint and finding.fingerprint not in known:
            yield FindingChange(test_name(test), finding.site, finding.reason, finding.fingerprint)


def _sources(before: CampaignReport, after: CampaignReport) -> Iterator[SourceChange]:
    old, new = ({each.path: each for each in (report.sources or ())} for report in (before, after))
    if not old or not new:
        return
    for path in sorted({*old, *new}):
        yield _source(path, old.get(path), new.get(path))


def _source(path: str, old: SourceLines | None, new: SourceLines | None) -> SourceChange:
    if old is None or new is None:
        return SourceChange(path, "added" if old is None else "removed", "", "", 0, 0)
    if old.digest != new.digest:
        return SourceChange(path, "edited", "", "", 0, 0)
    try:
        before, after = from_ranges(old.hit), from_ranges(new.hit)
    except ValueError as error:
        raise ReportRequestError(f"{one_line(path)}: {one_line(str(error))}") from error
    won, lost = after - before, before - after
    return SourceChange(path, "same", as_ranges(won), as_ranges(lost), len(won), len(lost))


def _problems(before: CampaignReport, after: CampaignReport) -> Iterator[str]:
    for name, report in (("first", before), ("second", after)):
        if report.sources is UNSET:
            yield f"the {name} report has no lines of sources: coverage is not compared by line"
        if any(not finding.fingerprint for _, finding in findings(report)):
            yield f"the {name} report has findings without fingerprints: they are compared by test alone"
    if before.campaign.target != after.campaign.target:
        yield f"the targets differ: {one_line(before.campaign.target)} and {one_line(after.campaign.target)}"
    if before.campaign.mode != after.campaign.mode:
        yield f"the test modes differ: {before.campaign.mode} and {after.campaign.mode}"
