"""The report as Markdown, short enough for a comment on a pull request.

Texts from outside stand in code spans and code blocks with fences longer than any in them, so that they neither form
links, images or markup nor notify anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.report.findings import findings
from orchestrator.report.material import ReportMaterial
from orchestrator.report.model import CampaignReport, FindingReport, TestReport, TestStatus
from orchestrator.report.text import KNOWN, call_line, test_name, verdict_line
from orchestrator.report.verdicts import VERDICTS
from simulator.health.model import CampaignHealth
from simulator.printable import one_line, printable, shortened

MAX_LENGTH = 60_000
"""Characters; a comment on GitHub holds 65,536."""
_MAX_ROWS = 100
_MAX_CONTRACTS = 30
_MAX_CELL = 200
_MAX_POINTS = 5
_MAX_BLOCK = 8_000
_RUNS = re.compile(r"`+")


def render_markdown(material: ReportMaterial) -> str:
    """Verdict, tests, findings as far as there is room, coverage."""
    report = material.report
    head = "\n".join(_head(report))
    tail = "\n".join(_tail(report))
    room = MAX_LENGTH - len(head) - len(tail)
    shown, left_out = [], 0
    for block in ("\n".join(_finding(test, finding, material)) for test, finding in findings(report)):
        if len(block) + 1 <= room:
            shown.append(block)
            room -= len(block) + 1
        else:
            left_out += 1
    note = f"\n… and {_count(left_out, 'finding')} for which this comment has no room\n" if left_out else ""
    return "\n".join([head, *shown]) + note + tail


def _head(report: CampaignReport) -> Iterator[str]:
    statuses: set[TestStatus] = {test.status for test in report.tests}
    worst: TestStatus = "falsified" if "falsified" in statuses else "error" if "error" in statuses else "passed"
    yield f"### {VERDICTS[worst].mark} Monotreme: {one_line(verdict_line(report).partition(' (')[0])}"
    yield ""
    yield f"{_code(report.campaign.target)}, {report.campaign.mode} mode"
    yield ""
    if report.tests:
        yield "| | test | verdict |"
        yield "|---|---|---|"
        for test in report.tests[:_MAX_ROWS]:
            yield f"| {VERDICTS[test.status].mark} | {_cell(test_name(test))} | {_verdict(test)} |"
        if len(report.tests) > _MAX_ROWS:
            yield f"| | … and {_count(len(report.tests) - _MAX_ROWS, 'test')} more | |"
        yield ""
    if report.health:
        yield from _health(report.health)


def _health(health: CampaignHealth) -> Iterator[str]:
    weak = [point for point in health.points if point.weakens]
    yield f"**Health: {health.verdict}.** {_cell(health.summary)}"
    yield ""
    for point in weak[:_MAX_POINTS]:
        yield f"* {_cell(point.text)}. Next: {_cell(point.next_step)}"
    if len(weak) > _MAX_POINTS:
        yield f"* … and {_count(len(weak) - _MAX_POINTS, 'point')} more"
    if weak:
        yield ""


def _verdict(test: TestReport) -> str:
    if test.type == "optimization" and test.status == "passed":
        return f"best value {_cell(test.value or 'none')}"
    parts = [VERDICTS[test.status].word]
    if len(test.findings) > 1:
        parts.append(f"at {len(test.findings)} places")
    if test.findings and all(finding.known for finding in test.findings):
        parts.append("(known)")
    if test.reason:
        parts.append(f": {_cell(test.reason)}")
    return " ".join(parts).replace(" :", ":")


def _finding(test: TestReport, finding: FindingReport, material: ReportMaterial) -> Iterator[str]:
    place = ""
    if finding.location is not None:
        place = f" at {_code(f'{material.path(finding.location.path)}:{finding.location.line}')}"
    yield f"<details><summary>{_html(test_name(test))}: {_html(finding.reason)}</summary>"
    yield ""
    yield f"{_code(test_name(test))}{place}" + (f" · {KNOWN}" if finding.known else "")
    yield ""
    calls = [call_line(call) for call in finding.reproducer]
    yield _block(calls or ["It fails before any call, right after deployment."])
    if finding.trace:
        yield "Call trace:"
        yield ""
        yield _block(list(finding.trace))
    if finding.foundry_test is not None and finding.foundry_test.path is not None:
        yield f"Foundry test: {_code(finding.foundry_test.path)}"
        yield ""
    yield "</details>"
    yield ""


def _tail(report: CampaignReport) -> Iterator[str]:
    campaign = report.campaign
    yield ""
    if report.coverage.contracts:
        overall = f"{report.coverage.line_coverage:.1f}% of lines, {report.coverage.branch_coverage:.1f}% of branches"
        yield f"<details><summary>Coverage: {overall}</summary>"
        yield ""
        yield "| contract | lines | branches |"
        yield "|---|---:|---:|"
        for each in report.coverage.contracts[:_MAX_CONTRACTS]:
            branches = f"{each.branch_coverage:.1f}% ({each.branches_hit}/{each.branches_found})"
            lines = f"{each.line_coverage:.1f}% ({each.lines_hit}/{each.lines_found})"
            yield f"| {_cell(each.name)} | {lines} | {branches if each.branches_found else '–'} |"
        if len(report.coverage.contracts) > _MAX_CONTRACTS:
            yield f"| … and {_count(len(report.coverage.contracts) - _MAX_CONTRACTS, 'contract')} more | | |"
        yield ""
        yield "</details>"
        yield ""
    speed = f"{campaign.calls:,} calls in {campaign.duration:,.1f} s"
    yield f"{speed}, seed {campaign.seed}, stopped by: {one_line(campaign.stop_reason)}"
    if campaign.left_out:
        yield ""
        yield f"Left out: {_code('; '.join(campaign.left_out))}"
    yield ""


def _code(text: str) -> str:
    """A code span of whatever text."""
    shown = shortened(one_line(text), _MAX_CELL)
    fence = "`" * (1 + max(map(len, _RUNS.findall(shown)), default=0))
    # A span that begins or ends with a backtick needs room, and one of spaces alone is none.
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _cell(text: str) -> str:
    """The same in a table, where a bar ends the cell even inside of code."""
    return _code(text).replace("|", "\\|")


def _block(lines: list[str]) -> str:
    text = printable("\n".join(one_line(line) for line in lines))
    if len(text) > _MAX_BLOCK:
        text = text[:_MAX_BLOCK].rpartition("\n")[0] + "\n…"
    fence = "`" * max(3, 1 + max(map(len, _RUNS.findall(text)), default=0))
    return f"{fence}text\n{text}\n{fence}\n"


def _html(text: str) -> str:
    """Text inside of an HTML element, which Markdown leaves alone."""
    escaped = "".join(
        character if character.isalnum() or character in " .,()-" else f"&#{ord(character)};"
        for character in shortened(one_line(text), _MAX_CELL)
    )
    return f"<code>{escaped}</code>"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
