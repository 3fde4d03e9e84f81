"""Findings as SARIF 2.1.0: the place of the failure, the calls that lead to it, a fingerprint that stays.

A result stands at the failed assertion, or at the declaration of the failed property. Its code flow is the
reproducer: each call at the function that it calls, then the failure.
"""

from __future__ import annotations

import json
from typing import Any, Final

from orchestrator.report.ci.places import shown_place
from orchestrator.report.findings import findings
from orchestrator.report.material import ReportMaterial
from orchestrator.report.model import CampaignReport, FindingReport, SourceLocation, TestReport
from orchestrator.report.text import call_line, test_name
from orchestrator.report.verdicts import VERDICTS
from simulator.encoding import encodable_value
from simulator.fuzz.checking.oracles import TestKind
from simulator.printable import one_line, printable, printable_json

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT: Final = "monotremeFinding/v1"
RULES: Final[dict[TestKind, tuple[str, str]]] = {
    "property": ("PropertyFailed", "A property that must always hold was broken by a sequence of calls."),
    "assertion": ("AssertionFailed", "An assertion failed during a sequence of calls."),
    "call": ("CallFailed", "A condition on the outcome of calls was broken by a sequence of calls."),
    "optimization": ("ValueFound", "A sequence of calls led to a value of an optimization."),
    "exploration": ("Explored", "An exploration ended."),
    "crash": ("WorkerKilled", "A sequence of calls kills the process that executes it."),
}


def render_sarif(material: ReportMaterial) -> str:
    """One run of one tool."""
    report = material.report
    kinds = list(dict.fromkeys(test.type for test, _ in findings(report)))
    run = {
        "tool": {"driver": _driver(report, kinds)},
        "automationDetails": {"id": f"monotreme/{one_line(report.campaign.target)}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, material)],
        "results": [_result(test, finding, kinds, material) for test, finding in findings(report)],
        "properties": {"seed": str(report.campaign.seed), "mode": report.campaign.mode, "calls": report.campaign.calls},
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return printable_json(json.dumps(encodable_value(document), indent=2, ensure_ascii=False)) + "\n"


def _driver(report: CampaignReport, kinds: list[TestKind]) -> dict[str, Any]:
    driver: dict[str, Any] = {"name": "Monotreme", "rules": [_rule(kind) for kind in kinds]}
    if report.run and report.run.version:
        driver["version"] = report.run.version
    return driver


def _rule(kind: TestKind) -> dict[str, Any]:
    name, text = RULES[kind]
    return {
        "id": f"monotreme/{kind}",
        "name": name,
        "shortDescription": {"text": text},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["security", "fuzzing"], "precision": "very-high", "security-severity": "8.0"},
    }


def _invocation(report: CampaignReport, material: ReportMaterial) -> dict[str, Any]:
    notes = [
        _note(test, material)
        for test in report.tests
        if not test.findings and VERDICTS[test.status].level in ("warning", "error")
    ]
    left_out = [{"level": "note", "message": {"text": printable(each)}} for each in report.campaign.left_out]
    found: dict[str, Any] = {"executionSuccessful": not notes}
    if report.run:
        found |= {"commandLine": report.run.command, "endTimeUtc": report.run.made}
    if notes or left_out:
        found["toolExecutionNotifications"] = [*notes, *left_out]
    return found


def _note(test: TestReport, material: ReportMaterial) -> dict[str, Any]:
    verdict = VERDICTS[test.status]
    text = f"{one_line(test_name(test))}: {verdict.word}" + (f": {printable(test.reason)}" if test.reason else "")
    note: dict[str, Any] = {"level": verdict.level, "message": {"text": text}}
    if test.location is not None:
        note["locations"] = [_location(test.location, material)]
    return note


def _result(
    test: TestReport, finding: FindingReport, kinds: list[TestKind], material: ReportMaterial
) -> dict[str, Any]:
    calls = [call_line(call) for call in finding.reproducer]
    steps = "\n".join(calls) if calls else "It fails before any call, right after deployment."
    reason = printable(finding.reason) or "it failed"
    result: dict[str, Any] = {
        "ruleId": f"monotreme/{test.type}",
        "ruleIndex": kinds.index(test.type),
        "level": "error",
        "message": {"text": f"{one_line(test_name(test))}: {reason}\n{steps}"},
        "codeFlows": [_code_flow(finding, reason, material)],
    }
    if (place := shown_place(test, finding)) is not None:
        result["locations"] = [_location(place, material)]
    if place != finding.location:
        result["relatedLocations"] = [_location(finding.location, material, reason)]
    if finding.fingerprint:
        result["partialFingerprints"] = {FINGERPRINT: finding.fingerprint}
    if material.report.run and material.report.run.baseline is not None:
        result["baselineState"] = "unchanged" if finding.known else "new"
    return result


def _code_flow(finding: FindingReport, reason: str, material: ReportMaterial) -> dict[str, Any]:
    steps = [(call.location, call_line(call)) for call in finding.reproducer]
    locations = [
        {"location": _location(place, material, text), "executionOrder": number}
        for number, (place, text) in enumerate([*steps, (finding.location, reason)], 1)
    ]
    return {"threadFlows": [{"locations": locations}]}


def _location(place: SourceLocation | None, material: ReportMaterial, text: str = "") -> dict[str, Any]:
    location: dict[str, Any] = {}
    if place is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": material.uri(place.path)},
            "region": {"startLine": place.line, "startColumn": place.column},
        }
    if text:
        location["message"] = {"text": text}
    return location
