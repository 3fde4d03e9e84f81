"""Text output of `forge test`: the form with traces, requested with `-vvv`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import BuildDiagnostic, TestSummary, diagnostic, span

_SUITE = re.compile(r"^Ran \d{1,9} tests? for (?P<file>[^:]+):(?P<contract>\w+)$")
_FAIL = r"FAIL(?:: (?P<reason>.*?))?(?:; counterexample: (?P<example>.*?))?"
_RESULT = re.compile(rf"^\[(?:PASS|SKIP|{_FAIL})\](?: (?P<name>.+))?$", re.DOTALL)
_NAME = re.compile(r"^\s?(?P<name>\w+\([^)]*\)) \([^()]*: .*\)$")
_CALL = re.compile(r"\bcalldata=(?P<name>\w+)(?:\([^)]*\))? args=\[(?P<args>.*)\]$")
_END = re.compile(r"^(?:Suite result: |Ran \d|Failing tests:)")
_COUNTS = r"(\d{1,9}) tests? passed, (\d{1,9}) failed, (\d{1,9}) skipped \((\d{1,9}) total tests?\)"
_TOTALS = re.compile(rf"^Ran \d.* tests? suites? .*: {_COUNTS}$")
_ARGUMENTS = re.compile(r"args=\[(?P<args>.*)\]$")
MAX_CALLS = 8
MAX_REASON_LENGTH = 20

LineOf = Callable[[str, str], int | None]
"""The line at which a file declares a function, where it can be told."""


class _Failure:
    """A failed test while its sequence and its traces come."""

    def __init__(self, line: LogLine, suite: tuple[str, str], result: re.Match[str]) -> None:
        self.first = self.last = line
        self.file, self.contract = suite
        self.reason = result["reason"] or "failed"
        found = _ARGUMENTS.search(result["example"] or "")
        self.example = found["args"] if found else ""
        named = _NAME.match(result["name"] or "")
        self.name = named["name"] if named else ""
        self.calls: list[str] = []

    def add(self, line: LogLine, text: str) -> None:
        if not text.strip():
            return
        self.last = line
        if self.name:
            return
        if found := _CALL.search(text):
            self.calls.append(f"{found['name']}({found['args']})")
        elif named := _NAME.match(text):
            self.name = named["name"]

    def diagnostic(self, tool: str, line_of: LineOf) -> BuildDiagnostic:
        message = f"{self.contract}.{self.name}: {self.reason}"
        if self.example:
            message += f" (counterexample: {self.example})"
        if self.calls:
            more = "; …" if len(self.calls) > MAX_CALLS else ""
            message += f" (sequence of {len(self.calls)}: {'; '.join(self.calls[:MAX_CALLS])}{more})"
        line = line_of(self.file, self.name.partition("(")[0])
        place = span(self.first, self.last)
        return diagnostic(tool, "error", message, place, code="TestFailure", file=self.file, line=line)


def _whole_results(lines: Iterable[tuple[LogLine, str]]) -> Iterator[tuple[LogLine, str]]:
    """The lines, with a result whose reason has several of them as one."""
    held: list[tuple[LogLine, str]] = []
    for line, text in lines:
        if held or (text.startswith("[FAIL") and not _RESULT.match(text)):
            held.append((line, text))
            whole = "\n".join(each for _, each in held)
            if not _RESULT.match(whole) and len(held) < MAX_REASON_LENGTH:
                continue
            yield held[0][0], whole if _RESULT.match(whole) else held[0][1]
            held = []
        else:
            yield line, text
    yield from held


class TextReport:
    """One pass over the text; `totals` are known afterwards, None when forge did not come to them."""

    def __init__(self, tool: str, line_of: LineOf) -> None:
        self._tool = tool
        self._line_of = line_of
        self.totals: TestSummary | None = None

    def failures(self, lines: Iterable[tuple[LogLine, str]]) -> Iterator[BuildDiagnostic]:
        """Each failed test once; the list at the end repeats them."""
        suite: tuple[str, str] | None = None
        failure: _Failure | None = None
        for line, text in _whole_results(lines):
            result = _RESULT.match(text) if suite and text.startswith("[") else None
            if failure and (result or _END.match(text)):
                yield failure.diagnostic(self._tool, self._line_of)
                failure = None
            if found := _SUITE.match(text):
                suite = (found["file"], found["contract"])
            elif text.startswith("Failing tests:"):
                suite = None
            elif result and suite and text.startswith("[FAIL"):
                failure = _Failure(line, suite, result)
            elif failure:
                failure.add(line, text)
            if totals := _TOTALS.match(text):
                self.totals = TestSummary(*map(int, totals.groups()))
        if failure:
            yield failure.diagnostic(self._tool, self._line_of)
