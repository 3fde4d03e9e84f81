"""`dotnet test` with the VSTest console: failed tests with their stack, and counts over all projects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PureWindowsPath

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import BuildDiagnostic, Parsed, TestSummary, collected, diagnostic, span
from tools.builds.plugin import Output, Plugin, before
from tools.builds.plugins.msbuild import ENVIRONMENT, is_candidate, message, project_of

NAME = "dotnet.test"
_FAILED = re.compile(r"^\s{0,4}(?:\[xUnit[^\]]*\]\s+)?Failed (?P<name>\S.*?)(?: \[[^\]]+\])?\s*$")
_NEXT = re.compile(
    r"^\s{0,4}(?:Passed|Failed|Skipped) \S|^\s*(?:Passed|Failed|Skipped)!|^Test Run |^Total tests:|^Results File:"
)
_PLACE = re.compile(r" in (?P<file>.+?):line (?P<line>\d+)\s*$")
_COUNTS = re.compile(
    r"(?:Passed|Failed|Skipped)!\s+-\s+Failed:\s*(\d+),\s*Passed:\s*(\d+),\s*Skipped:\s*(\d+),\s*Total:\s*(\d+)"
)
_COUNT = re.compile(r"^\s*(Total tests|Passed|Failed|Skipped):\s*(\d+)\s*$")
_TEST_PROJECT = re.compile(r"tests?\.\w*proj$", re.IGNORECASE)
_SECTIONS = ("Error Message:", "Stack Trace:", "Standard Output Messages:", "Standard Error Messages:")
MAX_BLOCK_LENGTH = 2_000


class _Failure:
    """A failed test while its block is read."""

    def __init__(self, line: LogLine, name: str) -> None:
        self.first = self.last = line
        self.name = name
        self.section = ""
        self.message: list[str] = []
        self.file: str | None = None
        self.line = 0

    def add(self, line: LogLine, text: str) -> None:
        stripped = text.strip()
        if not stripped:
            return
        self.last = line
        if stripped in _SECTIONS:
            self.section = stripped
        elif self.section == "Error Message:" and len(self.message) < 20:
            self.message.append(stripped)
        elif self.section == "Stack Trace:" and self.file is None and (place := _PLACE.search(text)):
            self.file, self.line = place["file"], int(place["line"][:9])

    def diagnostic(self) -> BuildDiagnostic:
        reason = "\n".join(self.message)
        return diagnostic(
            NAME,
            "error",
            f"{self.name}: {reason}" if reason else self.name,
            span(self.first, self.last),
            code="TestFailure",
            file=self.file,
            line=self.line,
        )


class _Reader:
    """One pass over the log."""

    def __init__(self) -> None:
        self.counts = [0, 0, 0, 0]
        self.fields: dict[str, int] = {}
        self.projects: set[str] = set()
        self.counted = False

    def diagnostics(self, lines: Iterable[tuple[LogLine, str]]) -> Iterator[BuildDiagnostic]:
        failure: _Failure | None = None
        for line, text in lines:
            if failure and (_NEXT.match(text) or line.number - failure.first.number > MAX_BLOCK_LENGTH):
                yield failure.diagnostic()
                failure = None
            if found := _FAILED.match(text):
                failure = _Failure(line, found["name"])
            elif failure:
                failure.add(line, text)
            elif is_candidate(text) and (problem := message(NAME, line, text)):
                self._note_project(problem, text)
                yield problem
            self._count(text)
        if failure:
            yield failure.diagnostic()

    def _note_project(self, problem: BuildDiagnostic, text: str) -> None:
        project = project_of(text)
        if problem.severity == "error" and _TEST_PROJECT.search(PureWindowsPath(project).name):
            self.projects.add(project)

    def _count(self, text: str) -> None:
        if "!" in text and (found := _COUNTS.search(text)):
            self.counted = True
            self.counts = [count + int(more) for count, more in zip(self.counts, found.groups(), strict=True)]
        elif ":" in text and (field := _COUNT.match(text)):
            self.fields[field[1]] = self.fields.get(field[1], 0) + int(field[2])

    def summary(self) -> TestSummary:
        if self.counted or "Total tests" not in self.fields:
            failed, passed, skipped, total = self.counts
        else:
            passed, failed, skipped, total = (
                self.fields.get(name, 0) for name in ("Passed", "Failed", "Skipped", "Total tests")
            )
        return TestSummary(passed, failed, skipped, total, len(self.projects) or None)


def parse(output: Output) -> Parsed:
    reader = _Reader()
    found = collected(reader.diagnostics(output.lines()))
    return Parsed(found.diagnostics, reader.summary(), found.failed, found.omitted)


PLUGIN = Plugin(
    name=NAME,
    title="dotnet test",
    description="Run `dotnet test` and return failed tests, build errors and counts.",
    program="dotnet",
    argv=before("test", "-nologo", "--tl:off"),
    parse=parse,
    environment=ENVIRONMENT,
    tests=True,
    slash_options=True,
)
