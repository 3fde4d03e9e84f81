"""Workflow commands of GitHub Actions: an annotation at the place of each finding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from orchestrator.report.ci.places import shown_place
from orchestrator.report.findings import findings
from orchestrator.report.material import ReportMaterial
from orchestrator.report.model import SourceLocation
from orchestrator.report.text import KNOWN, call_line, test_name, verdict_line
from orchestrator.report.verdicts import VERDICTS
from simulator.printable import one_line, printable

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def render_github(material: ReportMaterial) -> str:
    """One command a line. A line feed in a text is escaped, so that no text begins a command of its own."""
    return "".join(f"{line}\n" for line in _lines(material))


def _lines(material: ReportMaterial) -> Iterator[str]:
    report = material.report
    for test, finding in findings(report):
        calls = "\n".join(call_line(call) for call in finding.reproducer) or "It fails right after deployment."
        text = f"{one_line(finding.reason)}\n{calls}" + (f"\n{KNOWN}" if finding.known else "")
        place = shown_place(test, finding)
        yield _command("notice" if finding.known else "error", test_name(test), text, place, material)
    for test in report.tests:
        level = VERDICTS[test.status].level
        if level and not test.findings:
            reason = test.reason or VERDICTS[test.status].word
            yield _command(_COMMANDS[level], test_name(test), reason, test.location, material)
    yield _command("notice", "Monotreme", verdict_line(report), None, material)


def _command(kind: str, title: str, text: str, place: SourceLocation | None, material: ReportMaterial) -> str:
    properties = {"title": one_line(title)}
    if place is not None:
        path = one_line(material.path(place.path))
        properties = {"file": path, "line": str(place.line), "col": str(place.column), **properties}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {listed}::{_data(printable(text))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
