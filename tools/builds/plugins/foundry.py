"""Shared parts of the forge plugins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.builds.diagnostics import BuildDiagnostic, diagnostic, span
from tools.builds.plugin import Output, Refusal
from tools.builds.plugins.solidity_messages import messages

ENVIRONMENT = {"FOUNDRY_DISABLE_NIGHTLY_WARNING": "1", "COLUMNS": "400"}
REFUSED = (
    Refusal(("--root", "-C", "--config-path"), "it leads out of the working folder; use cwd"),
    Refusal(("--use", "--ffi"), "it runs a program of the caller's choice; put it into foundry.toml"),
)
_USAGE = re.compile(r"^error: (?P<text>\S.*)$")
_NO_TESTS = re.compile(r"^No tests? (?:found|match)\b")


def forge_messages(tool: str, output: Output) -> Iterator[BuildDiagnostic]:
    """Messages of compilers and forge before tests run: errors, warnings, arguments that forge does not take, and
    that there are no tests, which is no failure to forge."""
    yield from messages(tool, output.lines())
    for line, text in output.lines():
        if found := _USAGE.match(text):
            yield diagnostic(tool, "error", found["text"], span(line), code="USAGE")
        elif _NO_TESTS.match(text):
            yield diagnostic(tool, "warning", text, span(line), code="NO_TESTS")
