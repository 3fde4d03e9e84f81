"""`npm test`: whatever the project runs; node's own runner, Jest, Vitest and Mocha are understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import Diagnostic, Parsed, TestSummary, collected, diagnostic, span
from tools.builds.plugin import Output, Plugin, before
from tools.builds.plugins.npm_messages import messages
from tools.builds.plugins.package_installs import ENVIRONMENT, OUTSIDE

NAME = "npm.test"
_FAILURES = (
    re.compile(r"^\s{0,40}not ok \d+ - (?P<name>\S.*?)(?: # (?P<directive>.*))?$"),  # TAP
    re.compile(r"^\s{0,40}✖ (?P<name>\S.*?)(?: \(\d[\d.]*ms\))$"),  # node's spec reporter
    re.compile(r"^\s{2}● (?P<name>\S.*)$"),  # Jest
    re.compile(r"^\s?FAIL\s{1,2}(?P<name>\S+ > .*)$"),  # Vitest
    re.compile(r"^\s{2}\d{1,6}\) (?P<name>\S.*)$"),  # Mocha
)
_NODE = re.compile(r"^(?:#|ℹ) (tests|pass|fail|skipped|todo|cancelled) (\d+)$")
_JEST = re.compile(r"^\s{0,8}Tests:?\s{1,20}(?P<counts>\d.*)$")
_JEST_COUNT = re.compile(r"(\d+) (passed|failed|skipped|todo|pending|total)")
_MOCHA = re.compile(r"^\s{2}(\d+) (passing|failing|pending)\b")
_PLACE = re.compile(
    r"(?:\(|at |❯ |location: ['\"]?)(?:async )?(?:file://)?(?P<file>/?[^\s():'\"]+\.[cm]?[jt]sx?):(?P<line>\d{1,9}):(?P<column>\d{1,9})"
)
_EXCUSED = re.compile(r"^\s{0,40}✖ (?P<name>\S.*?) \(\d[\d.]*ms\) # (?:TODO|SKIP)")
_TAP_KEY = re.compile(r"^\s*(?P<key>\w+): ?(?P<value>.*)$")
_NOT_OURS = ("node:", "node_modules/")
LONGEST_BLOCK = 200
MOST_REASONS = 3


class _Failure:
    """A failed test and the lines behind it: a reason, then a stack or a place."""

    def __init__(self, line: LogLine, name: str, *, is_tap: bool) -> None:
        self.first = self.last = line
        self.name = name
        self.reasons: list[str] = []
        self.place: re.Match[str] | None = None
        self._is_tap = is_tap
        self._in_reason = not is_tap

    def add(self, line: LogLine, text: str) -> bool:
        """Take a line of the report; False when the failure is told."""
        stripped = text.strip()
        if not stripped:
            return line.number - self.first.number < LONGEST_BLOCK
        if self._is_tap and stripped == "...":
            return False
        self.last = line
        found = _PLACE.search(text)
        if found and not any(part in found["file"] for part in _NOT_OURS):
            self.place = found
            return self._is_tap
        self._reason(stripped)
        return line.number - self.first.number < LONGEST_BLOCK

    def _reason(self, text: str) -> None:
        """TAP gives the reason as `error:` in YAML; the others say it in their first lines."""
        if self._is_tap and (key := _TAP_KEY.match(text)):
            self._in_reason = key["key"] == "error"
            text = key["value"].strip("'").removeprefix("|-")
        if self._in_reason and text and len(self.reasons) < MOST_REASONS:
            self.reasons.append(text)

    def message(self) -> str:
        return "\n".join([f"{self.name}: {self.reasons[0]}", *self.reasons[1:]]) if self.reasons else self.name


class _Reader:
    def __init__(self, output: Output) -> None:
        self._output = output
        self.counts: dict[str, int] = {}
        # Reporters tell a failure twice, while it happens and at the end: the last one stays.
        self.failures: dict[str, _Failure] = {}
        self._excused: set[str] = set()

    def read(self, lines: Iterable[tuple[LogLine, str]]) -> None:
        failure: _Failure | None = None
        for line, text in lines:
            if found := _failed_test(text):
                failure = _Failure(line, found[0], is_tap=found[1])
                self.failures.pop(failure.name, None)
                self.failures[failure.name] = failure
            elif excused := _EXCUSED.match(text):
                self._excused.add(excused["name"])
                failure = None
            elif failure and not failure.add(line, text):
                failure = None
            self._count(text)

    def diagnostics(self) -> Iterator[Diagnostic]:
        for failure in self.failures.values():
            if failure.name not in self._excused:
                yield self._diagnostic(failure)

    def _diagnostic(self, failure: _Failure) -> Diagnostic:
        place = failure.place
        return diagnostic(
            NAME,
            "error",
            failure.message(),
            span(failure.first, failure.last),
            code="TestFailure",
            file=self._output.relative(place["file"]) if place else None,
            line=int(place["line"]) if place else None,
            column=int(place["column"]) if place else None,
        )

    def _count(self, text: str) -> None:
        if found := _NODE.match(text):
            name = {"tests": "total", "pass": "passed", "todo": "skipped", "cancelled": "failed"}.get(
                found[1], found[1]
            )
            self._add("failed" if name == "fail" else name, int(found[2]))
        elif found := _JEST.match(text):
            for count, name in _JEST_COUNT.findall(found["counts"]):
                self._add({"todo": "skipped", "pending": "skipped"}.get(name, name), int(count))
        elif found := _MOCHA.match(text):
            self._add({"passing": "passed", "failing": "failed", "pending": "skipped"}[found[2]], int(found[1]))

    def _add(self, name: str, count: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + count

    def summary(self) -> TestSummary:
        passed, failed, skipped = (self.counts.get(name, 0) for name in ("passed", "failed", "skipped"))
        return TestSummary(passed, failed, skipped, self.counts.get("total", passed + failed + skipped))


def _failed_test(text: str) -> tuple[str, bool] | None:
    """The name of a test that a line says has failed, and whether the line is TAP."""
    for pattern in _FAILURES:
        if found := pattern.match(text):
            directive = found.groupdict().get("directive") or ""
            return None if directive.upper().startswith(("TODO", "SKIP")) else (found["name"], pattern is _FAILURES[0])
    return None


def parse(output: Output) -> Parsed:
    reader = _Reader(output)
    reader.read(output.lines())
    return collected([*reader.diagnostics(), *messages(NAME, output.lines())], reader.summary())


PLUGIN = Plugin(
    name=NAME,
    title="npm test",
    description="Run `npm test` and return failed tests of node:test, Jest, Vitest or Mocha, with counts.",
    program="npm",
    argv=before("test"),
    parse=parse,
    environment=ENVIRONMENT,
    refused=(OUTSIDE,),
    tests=True,
)
