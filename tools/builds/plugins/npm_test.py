"""`npm test`: whatever the project runs; node's own runner, Jest, Vitest and Mocha are understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import MAX_STORED, BuildDiagnostic, Parsed, TestSummary, collected
from tools.builds.plugin import Output, Plugin, before
from tools.builds.plugins.npm_messages import messages
from tools.builds.plugins.npm_test_failure import NpmTestFailure, failed_test
from tools.builds.plugins.package_installs import ENVIRONMENT, OUTSIDE

NAME = "npm.test"
_NODE = re.compile(r"^(?:#|ℹ) (tests|pass|fail|skipped|todo|cancelled) (\d+)$")
_JEST = re.compile(r"^\s{0,8}Tests:?\s{1,20}(?P<counts>\d.*)$")
_JEST_COUNT = re.compile(r"(\d+) (passed|failed|skipped|todo|pending|total)")
_MOCHA = re.compile(r"^\s{2}(\d+) (passing|failing|pending)\b")
_JEST_FILE = re.compile(r"^(?:FAIL|PASS) (?:\./)?(?P<file>[^\s>]+)(?: \(.*\))?$")
_EXCUSED = re.compile(r"^\s{0,40}✖ (?P<name>\S.*?) \(\d[\d.]*ms\) # (?:TODO|SKIP)")
MAX_FAILURES = 2 * MAX_STORED
_COMMENT = re.compile(r"^# (?P<text>\w*Error: \S.*)$")


class _Reader:
    def __init__(self, output: Output) -> None:
        self._output = output
        self.counts: dict[str, int] = {}
        self.failures: list[NpmTestFailure] = []
        self._excused: set[str] = set()
        self._file: str | None = None
        self._note = ""

    def read(self, lines: Iterable[tuple[LogLine, str]]) -> None:
        failure: NpmTestFailure | None = None
        for line, text in lines:
            if found := failed_test(text):
                failure = NpmTestFailure(found[0], line, found[1], self._file, self._note)
                if len(self.failures) < MAX_FAILURES:
                    self.failures.append(failure)
                self._note = ""
            elif file := _JEST_FILE.match(text):
                self._file, failure = file["file"], None
            elif excused := _EXCUSED.match(text):
                self._excused.add(excused["name"])
                failure = None
            elif failure and not failure.add(line, text):
                failure = None
            if comment := _COMMENT.match(text):
                self._note = comment["text"]
            self._count(text)

    def diagnostics(self) -> Iterator[BuildDiagnostic]:
        """Each failure once: of duplicates, the last one, which has the reason."""
        last = {failure.identity: failure for failure in self.failures}
        for failure in self.failures:
            if last[failure.identity] is failure and failure.name not in self._excused:
                yield failure.diagnostic(NAME, self._output)

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
