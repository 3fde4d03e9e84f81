"""`slither --json`: high impact is an error, medium and low are warnings, the rest is information.

The report goes to `/dev/stdout`: with `-` slither says nothing at all when the project does not compile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tools.builds.diagnostics import BuildDiagnostic, Parsed, Severity, collected, diagnostic, span
from tools.builds.plugin import Output, Plugin, Refusal, has_option
from tools.builds.plugins.solidity_messages import messages

NAME = "slither.analyze"
_SEVERITY: dict[str, Severity] = {"High": "error", "Medium": "warning", "Low": "warning"}
_FAILS = ("--fail-pedantic", "--fail-low", "--fail-medium", "--fail-high", "--fail-none", "--no-fail-pedantic")
_REFUSED = (
    Refusal(
        ("--json", "--sarif", "--zip", "--print", "--config-file", "--generate-patches", "--triage-mode"),
        "it writes files, asks questions or replaces the output",
        abbreviated=True,
    ),
    Refusal(
        ("--solc", "--solc-solcs-bin", "--compile-custom-build"),
        "it runs a program of the caller's choice",
        abbreviated=True,
    ),
)


class _Finding(msgspec.Struct):
    check: str
    impact: str
    description: str = ""
    confidence: str = ""
    elements: list[dict[str, Any]] = []


class _Results(msgspec.Struct):
    detectors: list[_Finding] = []


class _Report(msgspec.Struct):
    success: bool
    error: str | None = None
    results: _Results | None = None


_REPORT = re.compile(rb'\{\s*"success"')
_PREFIX = re.compile(r"^std(?:err|out): ")
_RAISED = re.compile(r"^[\w.]+: \S")
_DECODER = msgspec.json.Decoder(_Report)


def argv(args: tuple[str, ...]) -> tuple[str, ...]:
    """The project first, because it is a positional argument; findings below high impact are no failure."""
    target = () if args and not args[0].startswith("-") else (".",)
    own = () if has_option(args, *_FAILS) else ("--fail-high",)
    return (*target, *args, "--json", "/dev/stdout", *own)


def parse(output: Output) -> Parsed:
    report = _report(output.stdout)
    if report is None:
        return collected(_text(output))
    if not report.success:
        return collected(
            [diagnostic(NAME, "error", _last_line(report.error or "slither failed"), code="FATAL")], failed=True
        )
    findings = report.results.detectors if report.results else []
    return collected(_diagnostic(each) for each in findings)


def _report(stdout: bytes) -> _Report | None:
    """The report among what else was written to standard output, before it and behind it."""
    start = _REPORT.search(stdout)
    if start is None:
        return None
    end = stdout.rfind(b"\n}") + 2 if start[0].startswith(b"{\n") else stdout.rfind(b"}") + 1
    try:
        return _DECODER.decode(stdout[start.start() : end])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _diagnostic(finding: _Finding) -> BuildDiagnostic:
    mapping = next((m for each in finding.elements if isinstance(m := each.get("source_mapping"), dict)), {})
    lines = mapping.get("lines")
    line = lines[0] if isinstance(lines, list) and lines and isinstance(lines[0], int) else None
    column = mapping.get("starting_column")
    return diagnostic(
        NAME,
        _SEVERITY.get(finding.impact, "info"),
        f"{finding.description.strip()} [{finding.impact} impact, {finding.confidence.lower()} confidence]",
        code=finding.check,
        file=str(mapping.get("filename_relative") or "") or None,
        line=line,
        column=column if isinstance(column, int) else None,
    )


def _text(output: Output) -> Iterator[BuildDiagnostic]:
    """Without a report: what the compiler said, else the last line of the traceback that slither ends with."""
    said = messages(NAME, ((line, _PREFIX.sub("", text)) for line, text in output.lines()))
    found = [each for each in said if each.file]
    yield from found
    if any(each.severity == "error" for each in found) or not output.exit_code:
        return
    last = raised = None
    for line, text in output.lines():
        if text.strip():
            last = (line, text.strip())
            raised = last if _RAISED.match(text) else raised
    if told := raised or last:
        yield diagnostic(NAME, "error", told[1], span(told[0]), code="FATAL")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "slither failed"


PLUGIN = Plugin(
    name=NAME,
    title="slither",
    description="Run `slither` on the project, or on a target given first in args, and return its findings.",
    program="slither",
    argv=argv,
    parse=parse,
    refused=_REFUSED,
    separate=True,
)
