"""`forge test --json`: failed tests with reason, counterexample and the line of the test; compiler errors as text.

A caller who asks for traces (`-vvv`) gets forge's text instead, because the traces in its JSON are for programs: then
the log can be read, and diagnostics point into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tools.builds.diagnostics import BuildDiagnostic, Parsed, TestSummary, collected, diagnostic
from tools.builds.plugin import Output, Plugin, has_option
from tools.builds.plugins.forge_test_text import MAX_CALLS, TextReport
from tools.builds.plugins.foundry import ENVIRONMENT, REFUSED, forge_messages

NAME = "forge.test"
MAX_SOURCE_BYTES = 2 << 20
_VERBOSE = re.compile(r"-v+")


class _Test(msgspec.Struct):
    status: str
    reason: str | None = None
    counterexample: dict[str, Any] | None = None


class _Suite(msgspec.Struct):
    results: dict[str, _Test] = msgspec.field(name="test_results", default_factory=dict)
    warnings: list[str] = []


_DECODER = msgspec.json.Decoder(dict[str, _Suite])


def argv(args: tuple[str, ...]) -> tuple[str, ...]:
    """Options that are not there twice: forge refuses repeated ones."""
    is_text = has_option(args, "--json", "--junit", "--list", "-l", "--verbosity") or any(
        _VERBOSE.fullmatch(arg) for arg in args
    )
    return ("test", *args) if is_text else ("test", "--json", *args)


def parse(output: Output) -> Parsed:
    problems = list(forge_messages(NAME, output))
    suites = _suites(output.stdout)
    if not suites:
        text = TextReport(NAME, partial(_line_of, output.folder))
        failures = list(text.failures(output.lines()))
        summary = text.totals or TestSummary(0, 0, 0, 0, _unbuilt(problems))
        return collected([*problems, *failures], summary)
    statuses = [test.status for suite in suites.values() for test in suite.results.values()]
    passed, failed, skipped = (statuses.count(name) for name in ("Success", "Failure", "Skipped"))
    found = [*problems, *_failures(output.folder, suites)]
    return collected(found, TestSummary(passed, failed, skipped, len(statuses)))


def _unbuilt(problems: list[BuildDiagnostic]) -> int | None:
    return 1 if any(each.severity == "error" for each in problems) else None


def _suites(stdout: bytes) -> dict[str, _Suite]:
    """The JSON object, which is a line of its own behind what scripts may have printed."""
    for line in reversed(stdout.splitlines()):
        if line.startswith(b"{"):
            try:
                return _DECODER.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
    return {}


def _failures(folder: Path, suites: dict[str, _Suite]) -> Iterator[BuildDiagnostic]:
    for place, suite in suites.items():
        file, _, contract = place.rpartition(":")
        for warning in suite.warnings:
            yield diagnostic(NAME, "warning", warning, file=file)
        for name, test in suite.results.items():
            if test.status == "Failure":
                message = f"{contract}.{name}: {test.reason or 'failed'}{_example(test.counterexample)}"
                line = _line_of(folder, file, name.partition("(")[0])
                yield diagnostic(NAME, "error", message, code="TestFailure", file=file, line=line)


def _example(counterexample: dict[str, Any] | None) -> str:
    """The calls that broke a fuzz test or an invariant, in short."""
    if not counterexample:
        return ""
    if isinstance(single := counterexample.get("Single"), dict):
        return f" (counterexample: {single.get('raw_args') or single.get('calldata') or '?'})"
    sequence = counterexample.get("Sequence")
    steps = sequence[-1] if isinstance(sequence, list) and sequence and isinstance(sequence[-1], list) else sequence
    if not isinstance(steps, list):
        return ""
    calls = [_call(step) for step in steps if isinstance(step, dict)]
    shown = "; ".join(calls[:MAX_CALLS])
    return f" (sequence of {len(calls)}: {shown}{'; …' if len(calls) > MAX_CALLS else ''})"


def _call(step: dict[str, Any]) -> str:
    name = str(step.get("func_name") or step.get("signature") or "?").partition("(")[0]
    return f"{name}({step.get('raw_args') or step.get('args') or ''})"


def _line_of(folder: Path, file: str, name: str) -> int | None:
    """Location of a test's declaration, if its file can be read."""
    place = (folder / file).resolve()
    if not re.fullmatch(r"\w{1,200}", name) or not place.is_relative_to(folder):
        return None
    try:
        if place.stat().st_size > MAX_SOURCE_BYTES:
            return None
        source = place.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(rf"\bfunction\s+{name}\s*\(", source)
    return source.count("\n", 0, found.start()) + 1 if found else None


PLUGIN = Plugin(
    name=NAME,
    title="forge test",
    description="Run `forge test` and return failed tests with reason and counterexample, compiler errors and counts.",
    program="forge",
    argv=argv,
    parse=parse,
    environment=ENVIRONMENT,
    refused=REFUSED,
    tests=True,
    separate=True,
)
