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
_JEST = re.compile(r"^\s?Tests:?\s{1,20}(?P<counts>\d.*)$")
_JEST_COUNT = re.compile(r"(\d+) (passed|failed|skipped|todo|pending|total)")
_MOCHA = re.compile(r"^\s{2}(\d+) (passing|failing|pending)\b")
_PLACE = re.compile(
    r"(?:\(|at |❯ |location: ['\"]?)(?:async )?(?:file://)?(?P<file>/?[^\s():'\"]+\.[cm]?[jt]sx?):(?P<line>\d{1,9}):(?P<column>\d{1,9})"
)
_NOT_OURS = ("node:", "node_modules/")
LONGEST_BLOCK = 200


class _Failure:
    def __init__(self, line: LogLine, name: str) -> None:
        self.first = self.last = line
        self.name = name
        self.place: re.Match[str] | None = None

    def add(self, line: LogLine, text: str) -> bool:
        """Take a line of the report; False when it is long enough."""
        if text.strip():
            self.last = line
        if self.place is None and (found := _PLACE.search(text)) and not any(n in found["file"] for n in _NOT_OURS):
            self.place = found
        return line.number - self.first.number < LONGEST_BLOCK and self.place is None


class _Reader:
    def __init__(self, output: Output) -> None:
        self._output = output
        self.counts: dict[str, int] = {}

    def diagnostics(self, lines: Iterable[tuple[LogLine, str]]) -> Iterator[Diagnostic]:
        failure: _Failure | None = None
        for line, text in lines:
            if name := _failed_test(text):
                if failure:
                    yield self._diagnostic(failure)
                failure = _Failure(line, name)
            elif failure and not failure.add(line, text):
                yield self._diagnostic(failure)
                failure = None
            self._count(text)
        if failure:
            yield self._diagnostic(failure)

    def _diagnostic(self, failure: _Failure) -> Diagnostic:
        place = failure.place
        return diagnostic(
            NAME,
            "error",
            failure.name,
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


def _failed_test(text: str) -> str:
    for pattern in _FAILURES:
        if found := pattern.match(text):
            directive = found.groupdict().get("directive") or ""
            return "" if directive.upper().startswith(("TODO", "SKIP")) else found["name"]
    return ""


def parse(output: Output) -> Parsed:
    reader = _Reader(output)
    failures = list(reader.diagnostics(output.lines()))
    # Reporters tell a failure twice: while it happens and, with its reason, at the end.
    last = {each.message: each for each in failures}
    return collected([*last.values(), *messages(NAME, output.lines())], reader.summary())


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
