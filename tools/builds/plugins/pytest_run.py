"""`pytest`: failures and errors from the short summary, their lines from the tracebacks, counts from the last line."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import Diagnostic, Parsed, TestSummary, collected, diagnostic, span
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
_USAGE = re.compile(r"^(?:ERROR: |INTERNALERROR> |__main__\.py: error: |pytest: error: )(?P<text>\S.*)$")


class _Block:
    """The traceback of one failure: its header, and the last line that it went through."""

    def __init__(self, line: LogLine) -> None:
        self.first = self.last = line
        self.file: str | None = None
        self.line = 0


class _Reader:
    def __init__(self, output: Output) -> None:
        self._output = output
        # Tests of several files may share a name; the summary has them in the order of their tracebacks.
        self.blocks: dict[str, deque[_Block]] = {}
        self.counts: dict[str, int] = {}
        self._block: _Block | None = None

    def diagnostics(self, lines: Iterable[tuple[LogLine, str]]) -> Iterator[Diagnostic]:
        for line, text in lines:
            if found := _HEADER.match(text):
                self._block = _Block(line)
                self.blocks.setdefault(found["name"].replace("::", "."), deque()).append(self._block)
            elif text.startswith("==="):
                self._block = None
            elif self._block:
                self._trace(self._block, line, text)
            if found := _SUMMARY_LINE.match(text):
                yield self._failure(line, found)
            elif found := _WARNING.match(text):
                yield diagnostic(
                    NAME,
                    "warning",
                    found["text"],
                    span(line),
                    code=found["code"],
                    file=self._output.relative(found["file"]),
                    line=int(found["line"]),
                )
            elif found := _USAGE.match(text):
                yield diagnostic(NAME, "error", found["text"], span(line), code="USAGE")
            if _TOTALS.match(text):
                self.counts = {name.rstrip("s"): int(count) for count, name in _COUNT.findall(text)}

    def _trace(self, block: _Block, line: LogLine, text: str) -> None:
        if text.strip():
            block.last = line
        # The last line within the project: a traceback may end in a library.
        if (place := _PLACE.match(text)) and (block.file is None or not place["file"].startswith("/")):
            block.file, block.line = place["file"], int(place["line"])

    def _failure(self, line: LogLine, found: re.Match[str]) -> Diagnostic:
        test = found["test"]
        file, _, name = test.partition("::")
        blocks = self.blocks.get(name.replace("::", ".")) or self.blocks.get(file)
        block = blocks.popleft() if blocks else None
        place = span(block.first, block.last) if block else span(line)
        reason = f"{test}: {found['reason']}" if found["reason"] else test
        code = "TestFailure" if found["kind"] == "FAILED" else "TestError"
        shown = self._output.relative(block.file if block and block.file else file)
        return diagnostic(NAME, "error", reason, place, code=code, file=shown, line=block.line if block else None)

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
        Refusal(("--pdb", "--trace"), "it waits for a person"),
    ),
    tests=True,
)
