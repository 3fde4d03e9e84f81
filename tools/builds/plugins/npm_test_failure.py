"""One failed test in the report of a JavaScript test runner: its name, its reason, and its place in the project."""

from __future__ import annotations

import re
from enum import StrEnum

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import BuildDiagnostic, diagnostic, span
from tools.builds.plugin import Output


class NpmTestRunner(StrEnum):
    """A test runner and its form of report."""

    TAP = "node's runner as TAP"
    NODE = "node's runner in its spec form"
    JEST = "Jest"
    VITEST = "Vitest"
    MOCHA = "Mocha"


MAX_BLOCK_LENGTH = 200
MAX_REASONS = 3
_HEADS = {
    NpmTestRunner.TAP: re.compile(r"^\s{0,40}not ok \d+ - (?P<name>\S.*?)(?: # (?P<directive>.*))?$"),
    NpmTestRunner.NODE: re.compile(r"^\s{0,40}✖ (?P<name>\S.*?)(?: \(\d[\d.]*ms\))$"),
    NpmTestRunner.JEST: re.compile(r"^\s{2}● (?P<name>\S.*)$"),
    NpmTestRunner.VITEST: re.compile(r"^\s?FAIL\s{1,2}(?P<name>\S+ > .*|\S+(?= \[ \S+ \]$))"),
    NpmTestRunner.MOCHA: re.compile(r"^\s{2}\d{1,6}\) (?P<name>\S.*)$"),
}
_PLACE = re.compile(
    r"(?:^\s*|\(|at |❯ (?:\S+ )?|location: ['\"]?)(?:async )?(?:file://)?"
    r"(?P<file>/?[^\s():'\"]+\.[cm]?[jt]sx?):(?P<line>\d{1,9}):(?P<column>\d{1,9})(?P<rest> - \S.*)?"
)
_UNPARSABLE = re.compile(r"^SyntaxError: (?P<file>/[^\s:]+): (?P<text>.*) \((?P<line>\d{1,9}):(?P<column>\d{1,9})\)$")
_EXCERPT = re.compile(r"^(?:>?\s*\d{1,7}\s?\||\|[\s^~]*$|at |❯ |[+-] (?:expected|actual) [+-])")
_TAP_KEY = re.compile(r"^\s*(?P<key>\w+): ?(?P<value>.*)$")
_NOT_OURS = ("node:", "node_modules/")


class NpmTestFailure:
    """A failed test and the lines behind it: a reason, then a stack or a place. `file` is the one that its runner named
    last, `note` an error that was printed before."""

    def __init__(self, runner: NpmTestRunner, line: LogLine, name: str, file: str | None, note: str) -> None:
        self.first = self.last = line
        self._runner = runner
        self._titles = [name.removesuffix(":")]
        # Mocha writes each suite on a line of its own, and a colon behind the test.
        self._in_titles = runner is NpmTestRunner.MOCHA and not name.endswith(":")
        self._file = file
        self._note = note
        self._reasons: list[str] = []
        self._place: tuple[str, int, int] | None = None
        self._location: tuple[str, int, int] | None = None
        self._key = ""

    @property
    def name(self) -> str:
        return " > ".join(self._titles)

    @property
    def identity(self) -> tuple[str | None, str]:
        """Equal for failures that a runner reports twice, while it happens and at its end."""
        return self._file, self.name

    def add(self, line: LogLine, text: str) -> bool:
        """Take a line of the report; False when the failure is complete."""
        stripped = text.strip()
        if not stripped or line.number - self.first.number >= MAX_BLOCK_LENGTH:
            return line.number - self.first.number < MAX_BLOCK_LENGTH
        if self._runner is NpmTestRunner.TAP:
            return self._add_tap(line, text)
        self.last = line
        if self._in_titles:
            self._titles.append(stripped.removesuffix(":"))
            self._in_titles = not stripped.endswith(":") and len(self._titles) < 20
            return True
        if broken := _UNPARSABLE.match(stripped):
            # Babel counts columns from 0.
            self._place = broken["file"], int(broken["line"]), int(broken["column"]) + 1
            self._reasons = [f"SyntaxError: {broken['text']}"]
            return False
        if found := _place_in(text):
            self._place = found[0]
            self._reason(found[1])
            return False
        self._reason(stripped)
        return True

    def _add_tap(self, line: LogLine, text: str) -> bool:
        """TAP has YAML: the reason as `error:`, the test's own place, and the stack, whose first line counts."""
        if text.strip() == "...":
            return False
        self.last = line
        key = _TAP_KEY.match(text)
        if found := _place_in(text):
            if self._key == "stack":
                self._place = self._place or found[0]
            elif key and key["key"] == "location":
                self._location = found[0]
            return True
        if key:
            self._key = key["key"]
            text = key["value"].strip("'").removeprefix("|-")
        if self._key == "error":
            self._reason(text.strip())
        return True

    def _reason(self, text: str) -> None:
        if text and len(self._reasons) < MAX_REASONS and not _EXCERPT.match(text):
            self._reasons.append(text)

    def diagnostic(self, tool: str, output: Output) -> BuildDiagnostic:
        reasons = [self._note] if self._note and self._reasons[:1] in ([], ["test failed"]) else self._reasons
        name = output.relative(self.name)
        if self._file and name == "Test suite failed to run":
            name = f"{self._file}: {name}"
        file, line, column = self._place or self._location or (None, None, None)
        return diagnostic(
            tool,
            "error",
            "\n".join([f"{name}: {reasons[0]}", *reasons[1:]]) if reasons else name,
            span(self.first, self.last),
            code="TestFailure",
            file=output.relative(file) if file else None,
            line=line,
            column=column,
        )


def failed_test(text: str) -> tuple[NpmTestRunner, str] | None:
    """The runner that reports a failed test in this line, and the test's name; None for any other line."""
    for runner, pattern in _HEADS.items():
        if found := pattern.match(text):
            directive = found.groupdict().get("directive") or ""
            return None if directive.upper().startswith(("TODO", "SKIP")) else (runner, found["name"])
    return None


def _place_in(text: str) -> tuple[tuple[str, int, int], str] | None:
    """A place in the project's own code, and what a compiler says behind it."""
    found = _PLACE.search(text)
    if not found or any(part in found["file"] for part in _NOT_OURS):
        return None
    return (found["file"], int(found["line"]), int(found["column"])), (found["rest"] or "").removeprefix(" - ")
