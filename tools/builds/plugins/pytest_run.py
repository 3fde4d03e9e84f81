"""`pytest`: failures and errors from the short summary, their lines from the tracebacks, counts from the last line."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import MAX_STORED, BuildDiagnostic, Parsed, TestSummary, collected, diagnostic, span
from tools.builds.plugin import Output, Plugin, Refusal

NAME = "pytest.run"
_SUMMARY_LINE = re.compile(
    r"^(?P<kind>FAILED|ERROR) (?P<test>\S+?\.py(?:::[^\[\s]+(?:\[.*?\])?)?|\S+)(?: - (?P<reason>.*))?$"
)
_PLACE = re.compile(r"^(?P<file>[^\s:][^:]*\.py):(?P<line>\d{1,9}): (?P<text>.*)$")
_HEADER = re.compile(r"^_{3,} (?:ERROR at \w+ of |ERROR collecting )?(?P<name>\S.*?) _{3,}$")
_WARNING = re.compile(r"^\s{2}(?P<file>\S+\.py):(?P<line>\d{1,9}): (?P<code>\w*Warning): (?P<text>.*)$")
_TOTALS = re.compile(r"^(?:=+ )?(?:\d+ \w+(?:, )?|no tests ran)+ in \d[\d.]*s\b")
_COUNT = re.compile(r"(\d+) (passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?)")
_USAGE = re.compile(r"^(?:ERROR: |INTERNALERROR> |__main__\.py: error: |pytest: error: )(?!usage: )(?P<text>\S.*)$")
_SAID = re.compile(r"^E\s{1,3}(?P<reason>[A-Za-z_][\w.]*: \S.*)$")
_UNPARSABLE = re.compile(r'^E\s+File "(?P<file>[^"]+)", line (?P<line>\d{1,9})$')
_CONFTEST = re.compile(r"^ImportError while loading conftest '(?P<file>[^']+)'\.$")
NOTHING_COLLECTED = 5


class _Block:
    """The traceback of one failure: its header, the last line that it went through, and what was raised there."""

    def __init__(self, line: LogLine) -> None:
        self.first = self.last = line
        self.file: str | None = None
        self.line = 0
        self.reason = ""

    def add(self, line: LogLine, text: str) -> None:
        if text.strip():
            self.last = line
        if said := _SAID.match(text):
            self.reason = said["reason"]
        elif broken := _UNPARSABLE.match(text):
            self.file, self.line = broken["file"], int(broken["line"])
        # The last line within the project: a traceback may end in a library.
        elif (place := _PLACE.match(text)) and (self.file is None or not place["file"].startswith("/")):
            self.file, self.line = place["file"], int(place["line"])


class _Reader:
    def __init__(self, output: Output) -> None:
        self._output = output
        # Tests of several files may share a name; the summary has them in the order of their tracebacks.
        self._blocks: dict[str, deque[_Block]] = {}
        self._number = 0
        self._block: _Block | None = None
        self._conftest: _Block | None = None
        self._has_summary = False
        self.counts: dict[str, int] = {}

    def diagnostics(self, lines: Iterable[tuple[LogLine, str]]) -> Iterator[BuildDiagnostic]:
        for line, text in lines:
            self._trace(line, text)
            if found := self._message(line, text):
                yield found
            if _TOTALS.match(text):
                self.counts = {name.rstrip("s"): int(count) for count, name in _COUNT.findall(text)}
                if self._output.exit_code == NOTHING_COLLECTED:
                    yield diagnostic(NAME, "error", "no tests were collected", span(line), code="NO_TESTS")
        if self._conftest:
            yield self._told("", self._conftest.reason, "TestError", self._conftest, self._conftest.first)
        if not self._has_summary:  # the caller may have turned it off
            for name, blocks in self._blocks.items():
                yield from (self._told(name, each.reason, "TestFailure", each, each.first) for each in blocks)

    def _trace(self, line: LogLine, text: str) -> None:
        """Tracebacks come before the summary that names their tests."""
        if found := _HEADER.match(text):
            self._block = _Block(line)
            self._number += 1
            if self._number <= MAX_STORED:
                self._blocks.setdefault(found["name"].replace("::", "."), deque()).append(self._block)
        elif _CONFTEST.match(text):
            self._block = self._conftest = _Block(line)
        elif text.startswith("==="):
            self._block = None
        elif self._block:
            self._block.add(line, text)

    def _message(self, line: LogLine, text: str) -> BuildDiagnostic | None:
        if found := _SUMMARY_LINE.match(text):
            self._has_summary = True
            return self._failure(line, found)
        if found := _WARNING.match(text):
            file, at = self._output.relative(found["file"]), int(found["line"])
            return diagnostic(NAME, "warning", found["text"], span(line), code=found["code"], file=file, line=at)
        if found := _USAGE.match(text):
            return diagnostic(NAME, "error", found["text"], span(line), code="USAGE")
        return None

    def _failure(self, line: LogLine, found: re.Match[str]) -> BuildDiagnostic:
        test = found["test"]
        file, _, name = test.partition("::")
        blocks = self._blocks.get(name.replace("::", ".")) or self._blocks.get(file)
        block = blocks.popleft() if blocks else None
        reason = found["reason"] or (block.reason if block else "")
        code = "TestFailure" if found["kind"] == "FAILED" else "TestError"
        return self._told(test, reason, code, block, line)

    def _told(self, test: str, reason: str, code: str, block: _Block | None, line: LogLine) -> BuildDiagnostic:
        place = span(block.first, block.last) if block else span(line)
        file = block.file if block and block.file else test.partition("::")[0]
        return diagnostic(
            NAME,
            "error",
            ": ".join(filter(None, (test, reason))),
            place,
            code=code,
            file=self._output.relative(file),
            line=block.line if block else None,
        )

    def summary(self) -> TestSummary:
        count = self.counts.get
        passed = count("passed", 0) + count("xpassed", 0)
        failed = count("failed", 0) + count("error", 0)
        skipped = count("skipped", 0) + count("xfailed", 0)
        return TestSummary(passed, failed, skipped, passed + failed + skipped)


def parse(output: Output) -> Parsed:
    reader = _Reader(output)
    found = collected(reader.diagnostics(output.lines()))
    return Parsed(found.diagnostics, reader.summary(), found.failed, found.omitted)


def argv(args: tuple[str, ...]) -> tuple[str, ...]:
    return ("--color=no", "--tb=short", "-rfE", *args)


PLUGIN = Plugin(
    name=NAME,
    title="pytest",
    description="Run `pytest` and return failed tests with reason, file and line, warnings and counts.",
    program="pytest",
    argv=argv,
    parse=parse,
    # The short summary is cut at the width of the terminal.
    environment={"COLUMNS": "400", "PYTHONUNBUFFERED": "1"},
    refused=(
        Refusal(("-p", "-c", "--config-file", "--rootdir", "--confcutdir"), "it loads code or settings from elsewhere"),
        Refusal(("--pdb", "--trace"), "it waits for a user"),
    ),
    tests=True,
)
