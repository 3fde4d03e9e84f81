"""Findings of a report with their places in the sources, and with fingerprints by which other runs know them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

import msgspec

from orchestrator.report.model import CampaignReport, FindingReport, ReproducerCall, SourceLocation, TestReport
from orchestrator.report.sources.declared_places import DeclaredPlaces

_SITE = re.compile(r'(?P<path>.+?):(?P<line>\d+):(?P<column>\d+)(?: "(?P<message>.*)")?', re.DOTALL)
_DIGITS = 32


def with_places(report: CampaignReport, places: DeclaredPlaces) -> CampaignReport:
    """The report with the places of its tests, findings and calls, and the findings' fingerprints."""
    return msgspec.structs.replace(report, tests=tuple(_test(test, places) for test in report.tests))


def with_known(report: CampaignReport, baseline: frozenset[str]) -> CampaignReport:
    """The report with the findings marked that the baseline has, by fingerprint."""

    def marked(test: TestReport) -> TestReport:
        found = (msgspec.structs.replace(each, known=each.fingerprint in baseline) for each in test.findings)
        return msgspec.structs.replace(test, findings=tuple(found))

    return msgspec.structs.replace(report, tests=tuple(map(marked, report.tests)))


def findings(report: CampaignReport) -> Iterator[tuple[TestReport, FindingReport]]:
    """Each finding with its test, in the order of the report."""
    return ((test, finding) for test in report.tests for finding in test.findings)


def new_findings(report: CampaignReport) -> list[tuple[TestReport, FindingReport]]:
    """Return the findings that the baseline of the run does not have."""
    return [(test, finding) for test, finding in findings(report) if not finding.known]


def site_location(site: str) -> SourceLocation | None:
    """The place that a site names; None for one that has no source."""
    found = _SITE.fullmatch(site)
    return SourceLocation(found["path"], int(found["line"]), int(found["column"])) if found else None


def _test(test: TestReport, places: DeclaredPlaces) -> TestReport:
    declared = places.function(test.contract, test.name) or places.contract(test.contract)
    seen: dict[str, int] = {}
    found = []
    for finding in test.findings:
        print_ = _fingerprint(test, finding, places)
        seen[print_] = count = seen.get(print_, 0) + 1
        found.append(
            msgspec.structs.replace(
                finding,
                location=site_location(finding.site) or declared,
                fingerprint=print_ if count == 1 else _digest(print_, str(count)),
                reproducer=_calls(finding.reproducer, places),
            )
        )
    return msgspec.structs.replace(
        test, location=declared, findings=tuple(found), reproducer=_calls(test.reproducer, places)
    )


def _calls(calls: tuple[ReproducerCall, ...], places: DeclaredPlaces) -> tuple[ReproducerCall, ...]:
    return tuple(
        msgspec.structs.replace(call, location=places.function(call.contract, call.function))
        if call.contract and call.function
        else call
        for call in calls
    )


def _fingerprint(test: TestReport, finding: FindingReport, places: DeclaredPlaces) -> str:
    """Made of what stays when sources are edited elsewhere: the test, and of its site the file, the text of the line
    and the message, but not the line's number. A sequence that kills workers is told by the functions it calls."""
    contract = test.contract.rpartition(":")[2]
    if test.type == "crash":
        functions = sorted({f"{call.contract}.{call.function}" for call in finding.reproducer})
        return _digest(test.type, contract, *functions)
    found = _SITE.fullmatch(finding.site)
    if found is None:
        # A program counter changes with each edit; the test itself does not.
        site = [finding.site.partition("@")[0]] if finding.site else []
    else:
        site = [found["path"], places.line_text(found["path"], int(found["line"])), found["message"] or ""]
    return _digest(test.type, contract, test.name, *site)


def _digest(*parts: str) -> str:
    # Each part with its length, so that no two lists of parts give the same bytes.
    data = "".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
