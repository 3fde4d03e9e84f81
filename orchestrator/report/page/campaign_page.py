"""The whole report as one HTML page for reviewers, which needs nothing but itself.

It is made as the coverage page is: everything escaped, style and script allowed by their hashes alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.report.html import content_policy, file_pages, page_asset, page_template
from orchestrator.report.material import ReportMaterial
from orchestrator.report.model import CampaignReport, FindingReport, SourceLocation, TestReport
from orchestrator.report.page.contract_groups import GROUP_TITLES, grouped
from orchestrator.report.text import KNOWN, call_line, test_name, verdict_line
from orchestrator.report.verdicts import VERDICTS, Verdict
from simulator.coverage.summary import ContractCoverage
from simulator.encoding import encode_json
from simulator.trace.data import TracedCall

_TEMPLATE = "campaign_page.html"
_TREE_OPEN_DEPTH = 2
"""Steps nested deeper are folded at first."""


@dataclass(frozen=True, slots=True)
class _ShownTest:
    """A test as the page lists it. `finding` is the index of its first finding."""

    name: str
    test: TestReport
    verdict: Verdict
    finding: int | None
    is_known: bool


@dataclass(frozen=True, slots=True)
class _ShownFinding:
    """A finding as the page shows it. `anchor` is the line of source on the page, where that has it."""

    name: str
    finding: FindingReport
    place: str
    anchor: str
    calls: list[tuple[str, str]]
    steps: list[TreeStep]


@dataclass(frozen=True, slots=True)
class _Group:
    title: str
    is_open: bool
    contracts: list[tuple[ContractCoverage, str]]
    lines: str


def render_campaign_page(material: ReportMaterial) -> str:
    """The page. Without sources, as of a saved report, it says so in their place."""
    report = material.report
    style = page_asset("coverage_page.css") + page_asset("campaign_page.css")
    script = page_asset("coverage_page.js")
    files = material.files or ()
    anchors = {file.path: index for index, file in enumerate(files)}
    shown = [_finding(test, finding, material, anchors) for test in report.tests for finding in test.findings]
    return page_template(_TEMPLATE).render(
        policy=content_policy(style, script),
        style=style,
        script=script,
        title=material.title,
        when=report.run.made.replace("T", " ").replace("Z", " UTC") if report.run else "",
        verdict=verdict_line(report),
        outcome=_outcome(report),
        tests=list(_tests(report)),
        findings=shown,
        groups=_groups(report, anchors),
        campaign=report.campaign,
        corpus=report.corpus,
        coverage=report.coverage,
        run=report.run or None,
        health=report.health or None,
        indexes=anchors,
        configuration=_yaml(report.run.configuration) if report.run else "",
        has_sources=material.files is not None,
        files=file_pages(files),
        known=KNOWN,
        open_depth=_TREE_OPEN_DEPTH,
    )


def _outcome(report: CampaignReport) -> str:
    statuses = {test.status for test in report.tests}
    return next((VERDICTS[each].style for each in VERDICTS if each in statuses and each != "passed"), "passed")


def _tests(report: CampaignReport) -> list[_ShownTest]:
    shown, index = [], 0
    for test in report.tests:
        is_known = bool(test.findings) and all(finding.known for finding in test.findings)
        first = index if test.findings else None
        shown.append(_ShownTest(test_name(test), test, VERDICTS[test.status], first, is_known))
        index += len(test.findings)
    return shown


def _finding(
    test: TestReport, finding: FindingReport, material: ReportMaterial, anchors: dict[str, int]
) -> _ShownFinding:
    return _ShownFinding(
        test_name(test),
        finding,
        f"{material.path(finding.location.path)}:{finding.location.line}" if finding.location else finding.site,
        _anchor(finding.location, anchors),
        [(call_line(call), _anchor(call.location, anchors)) for call in finding.reproducer],
        list(tree_steps(finding.call_trace)),
    )


def _anchor(place: SourceLocation | None, anchors: dict[str, int]) -> str:
    return f"f{anchors[place.path]}L{place.line}" if place is not None and place.path in anchors else ""


def _groups(report: CampaignReport, anchors: dict[str, int]) -> list[_Group]:
    groups = grouped(report.coverage.contracts, report.campaign.target, report.campaign.mode)
    shown: list[_Group] = []
    for group, contracts in groups.items():
        if contracts:
            hit, found = sum(each.lines_hit for each in contracts), sum(each.lines_found for each in contracts)
            rows = [(each, f"f{anchors[each.path]}" if each.path in anchors else "") for each in contracts]
            shown.append(_Group(GROUP_TITLES[group], not shown, rows, f"{hit:,} of {found:,} lines"))
    return shown


def _yaml(configuration: dict[str, Any]) -> str:
    """A configuration as a file; JSON values are YAML."""
    return "\n".join(f"{key}: {encode_json(value).decode()}" for key, value in configuration.items())


@dataclass(frozen=True, slots=True)
class TreeStep:
    """One step. `opens` when steps inside of it follow; behind it, `closes` open steps end."""

    step: TracedCall
    opens: bool
    closes: int

    @property
    def style(self) -> str:
        """Class of the style sheet."""
        if self.step.type in ("EVENT", "CONSOLE"):
            return self.step.type.lower()
        return "bad" if self.step.success is False else "call"


def tree_steps(trace: Sequence[TracedCall]) -> Iterator[TreeStep]:
    """The steps, without recursion: a call may be nested as deep as the EVM allows."""
    open_depths: list[int] = []
    for index, step in enumerate(trace):
        following = trace[index + 1].depth if index + 1 < len(trace) else -1
        if following > step.depth:
            open_depths.append(step.depth)
            yield TreeStep(step, True, 0)
            continue
        closes = 0
        while open_depths and open_depths[-1] >= following:
            open_depths.pop()
            closes += 1
        yield TreeStep(step, False, closes)
