"""The final report as text, in Echidna's words: `name: passing`, `name: failed!💥`, `Call sequence:`.

Passing tests come first, findings behind them and the figures last, so that a terminal ends on what matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

import msgspec

from orchestrator.report.model import (
    CampaignReport,
    CampaignSummary,
    ExportReport,
    FindingReport,
    ReproducerCall,
    TestReport,
)
from orchestrator.report.paint import Paint, Style
from orchestrator.report.quantities import delay_text, ether_text
from simulator.coverage.summary import ContractCoverage, CoverageSummary
from simulator.health.model import CampaignHealth, Growth, HealthPoint, Verdict
from simulator.printable import one_line, shortened

DEFAULT_SENDER = f"0x{0x10000:040x}"
KNOWN = "known: the baseline has this finding"
_MAX_CONTRACTS = 30

MAX_SHOWN = 12
MAX_NOTES = 3
MAX_TEXT = 400
_STYLES: dict[Verdict, Style] = {"sound": "green", "thin": "yellow", "vacuous": "red"}


def render_text(report: CampaignReport, *, color: bool = False) -> str:
    """The whole report, ending with a line feed. Colour codes only when asked for."""
    paint = Paint(color=color)
    blocks = [list(_quiet_tests(report, paint))]
    for test in report.tests:
        if test.status != "passed":
            blocks.append(list(_finding(test, paint)))
            blocks += [list(_further(test, finding, paint)) for finding in test.findings[1:]]
    blocks.append(list(_coverage(report.coverage, paint)))
    blocks.append(list(health_lines(report.health, paint)) if report.health else [])
    blocks.append(list(_figures(report, paint)))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _quiet_tests(report: CampaignReport, paint: Paint) -> Iterator[str]:
    for test in report.tests:
        if test.status != "passed":
            continue
        if test.type == "optimization":
            yield from _optimum(test, paint)
        else:
            yield f"{_name(test)}: {paint('passing', 'green')}"


def _optimum(test: TestReport, paint: Paint) -> Iterator[str]:
    yield f"{_name(test)}: {paint('max value: ' + one_line(test.value or 'none'), 'cyan')}"
    yield from _sequence(test, paint)
    yield from _export(test.foundry_test)


def _finding(test: TestReport, paint: Paint) -> Iterator[str]:
    match test.status:
        case "falsified":
            yield paint(_name(test), "bold") + ": " + paint("failed!💥", "red", "bold")
        case "error":
            yield paint(_name(test), "bold") + ": " + paint("could not be tested", "yellow", "bold")
        case "skipped":
            yield paint(_name(test), "bold") + ": " + paint("skipped", "yellow", "bold")
        case "passed":
            return
        case _:
            assert_never(test.status)
    if test.reason:
        yield f"  {one_line(test.reason)}"
    if test.findings and test.findings[0].known:
        yield paint(f"  {KNOWN}", "dim")
    yield from _details(test, paint)


def _further(test: TestReport, finding: FindingReport, paint: Paint) -> Iterator[str]:
    """A failure of the test elsewhere: a block like the first."""
    yield paint(_name(test), "bold") + ": " + paint("failed!💥", "red", "bold")
    yield f"  {one_line(finding.reason)}"
    yield from _details(finding, paint)


def _details(finding: TestReport | FindingReport, paint: Paint) -> Iterator[str]:
    """Place, sequence and trace of a failure."""
    if finding.site:
        yield paint(f"  at {one_line(finding.site)}", "dim")
    if isinstance(finding, FindingReport) and finding.known:
        yield paint(f"  {KNOWN}", "dim")
    if not finding.reproducer and (isinstance(finding, FindingReport) or finding.status == "falsified"):
        yield "  It fails before any call, right after deployment."
    yield from _sequence(finding, paint)
    if finding.trace:
        yield "  Call trace:"
        yield from (f"    {one_line(line)}" for line in finding.trace)
    yield from _export(finding.foundry_test)


def _export(export: ExportReport | None) -> Iterator[str]:
    if export is None:
        return
    if export.path is not None:
        yield f"  Foundry test: {one_line(export.path)}"
    yield f"  {'  ' if export.path is not None else ''}{one_line(export.text)}"


def _sequence(test: TestReport | FindingReport, paint: Paint) -> Iterator[str]:
    if not test.reproducer:
        return
    note = "" if test.shrunk else ", not fully shrunk"
    count = f"{len(test.reproducer)} call{'s' if len(test.reproducer) != 1 else ''}"
    yield f"  Call sequence {paint(f'({count}{note})', 'dim')}:"
    yield from (f"    {_call(call, paint)}" for call in test.reproducer)


def call_line(call: ReproducerCall) -> str:
    """A call as the report shows it, without colours."""
    return _call(call, Paint(color=False))


def _call(call: ReproducerCall, paint: Paint) -> str:
    """Sender, value and delays are named only where they are not the usual ones."""
    callee = f"{call.contract}." if call.contract else f"{call.to}." if call.to else ""
    parts = [one_line(f"{callee}{call.call}")]
    if call.sender != DEFAULT_SENDER and call.to:
        parts.append(one_line(f"from: {call.sender}"))
    if call.value != "0":
        parts.append(f"Value: {call.value} wei{ether_text(call.value)}")
    if call.delay.seconds:
        parts.append(f"Time delay: {delay_text(call.delay.seconds)}")
    if call.delay.blocks:
        parts.append(f"Block delay: {call.delay.blocks}")
    return " ".join([parts[0], *(paint(part, "dim") for part in parts[1:])])


def _coverage(coverage: CoverageSummary, paint: Paint) -> Iterator[str]:
    if not coverage.contracts:
        return
    lines = _overall(coverage.line_coverage, sum(each.lines_found for each in coverage.contracts), "lines")
    branches = _overall(coverage.branch_coverage, sum(each.branches_found for each in coverage.contracts), "branches")
    yield f"Coverage: {paint(f'{lines}, {branches}', 'bold')}"
    shown = coverage.contracts[:_MAX_CONTRACTS]
    width = max(len(one_line(contract.name)) for contract in shown)
    for contract in shown:
        yield _contract(contract, width, paint)
    if len(coverage.contracts) > len(shown):
        yield f"  … and {len(coverage.contracts) - len(shown)} more contracts"


def _overall(percentage: float, found: int, what: str) -> str:
    return f"{percentage:.1f}% of {what}" if found else f"no {what}"


def _contract(contract: ContractCoverage, width: int, paint: Paint) -> str:
    lines = _share(contract.line_coverage, contract.lines_hit, contract.lines_found, "lines", paint)
    branches = _share(contract.branch_coverage, contract.branches_hit, contract.branches_found, "branches", paint)
    return f"  {one_line(contract.name):<{width}}  {lines}  {branches}".rstrip()


def _share(percentage: float, hit: int, found: int, what: str, paint: Paint) -> str:
    if not found:
        return paint(f"{'-':>6} {f'no {what}':<18}", "dim")
    style: Style = "green" if hit == found else "red" if hit == 0 else "yellow"
    return paint(f"{percentage:>5.1f}%", style) + f" {f'{hit}/{found} {what}':<18}"


def _figures(report: CampaignReport, paint: Paint) -> Iterator[str]:
    campaign, corpus = report.campaign, report.corpus
    place = f" in {one_line(corpus.path)}" if corpus.path is not None else ""
    yield f"{_verdict(report, paint)} ({one_line(campaign.target)}, {campaign.mode} mode)"
    yield f"Corpus: {_plural(corpus.sequences, 'sequence')}, {_plural(corpus.transactions, 'transaction')}{place}"
    yield (
        f"Total calls: {campaign.calls:,} in {campaign.duration:,.1f} s ({campaign.calls_per_second:,.0f} calls/s, "
        f"{_plural(campaign.workers, 'worker')}{_nodes(campaign)}); stopped by: {one_line(campaign.stop_reason)}"
    )
    yield f"Seed: {campaign.seed}"
    if campaign.left_out:
        yield f"Left out: {one_line('; '.join(campaign.left_out))}"


def _nodes(campaign: CampaignSummary) -> str:
    if campaign.worker_nodes is msgspec.UNSET:
        return ""
    return f" on {_plural(len(set(campaign.worker_nodes) - {''}), 'node')}"


def verdict_line(report: CampaignReport) -> str:
    """The outcome in one line, without colours."""
    return _verdict(report, Paint(color=False))


def _verdict(report: CampaignReport, paint: Paint) -> str:
    falsified = sum(test.status == "falsified" for test in report.tests)
    untested = sum(test.status == "error" for test in report.tests)
    tests = _plural(len(report.tests), "test")
    places = sum(len(test.findings) for test in report.tests)
    where = f", at {places} places" if places > falsified else ""
    verdict = f"{falsified} of {tests} failed{where}" if falsified else f"{tests}, no failure"
    skipped = sum(test.status == "skipped" for test in report.tests)
    note = f", {skipped} skipped" if skipped else ""
    note += f", {untested} could not be tested" if untested else ""
    if known := sum(finding.known for test in report.tests for finding in test.findings):
        note = f" ({known} of the findings known){note}"
    return paint(verdict + note, "red" if falsified else "yellow" if untested or skipped else "green", "bold")


def _name(test: TestReport) -> str:
    return one_line(test_name(test))


def test_name(test: TestReport) -> str:
    """The contract is named only for tests of the whole campaign's kinds that belong to one."""
    return f"{test.contract}.{test.name}" if test.contract and test.type == "assertion" else test.name


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


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
