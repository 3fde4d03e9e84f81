"""The tests as JUnit XML: a test case for each test, one more for each further place where it fails."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from orchestrator.report.ci.xml_text import child, document, shown
from orchestrator.report.findings import findings
from orchestrator.report.material import ReportMaterial
from orchestrator.report.model import CampaignReport, FindingReport, TestReport
from orchestrator.report.text import KNOWN, call_line
from orchestrator.report.verdicts import VERDICTS


def render_junit(material: ReportMaterial) -> str:
    """One suite with all tests. What the baseline has is skipped, as it fails no run."""
    report = material.report
    root = Element("testsuites", shown({"name": "monotreme"}))
    elements = [element for test in report.tests for element in _elements(test)]
    suite = child(
        root,
        "testsuite",
        name=material.title,
        tests=len(elements),
        failures=elements.count("failure"),
        errors=elements.count("error"),
        skipped=elements.count("skipped"),
        time=f"{report.campaign.duration:.3f}",
    )
    if report.run:
        suite.set("timestamp", report.run.made.removesuffix("Z"))
    properties = child(suite, "properties")
    for name, value in _properties(report).items():
        child(properties, "property", name=name, value=value)
    for test in report.tests:
        for index in range(max(1, len(test.findings))):
            _case(suite, test, index)
    return document(root)


def _properties(report: CampaignReport) -> dict[str, object]:
    campaign = report.campaign
    found: dict[str, object] = {"target": campaign.target, "mode": campaign.mode, "seed": campaign.seed}
    found |= {"calls": campaign.calls, "stopReason": campaign.stop_reason, "findings": sum(1 for _ in findings(report))}
    return found | ({"command": report.run.command} if report.run else {})


def _elements(test: TestReport) -> list[str]:
    """The element of each of a test's cases, empty for success."""
    if not test.findings:
        return [VERDICTS[test.status].junit]
    return ["skipped" if finding.known else "failure" for finding in test.findings]


def _case(suite: Element, test: TestReport, index: int) -> None:
    finding = test.findings[index] if test.findings else None
    name = test.name if index == 0 or finding is None else f"{test.name} at {finding.site or f'place {index + 1}'}"
    case = child(suite, "testcase", name=name, classname=test.contract or "campaign", time="0")
    element = _elements(test)[index]
    if not element:
        if test.value:
            child(case, "system-out", f"best value: {test.value}")
        return
    reason = finding.reason if finding is not None else test.reason or VERDICTS[test.status].word
    if element == "skipped":
        child(case, element, message=f"{KNOWN}: {reason}" if finding is not None else reason)
    else:
        text = _details(finding) if finding is not None else reason
        child(case, element, text, message=reason, type=test.type)


def _details(finding: FindingReport) -> str:
    lines = [f"at {finding.site}"] if finding.site else []
    lines += ["Call sequence:", *(f"  {call_line(call)}" for call in finding.reproducer)]
    if not finding.reproducer:
        lines[-1] = "It fails before any call, right after deployment."
    if finding.trace:
        lines += ["Call trace:", *(f"  {line}" for line in finding.trace)]
    return "\n".join(lines)
