"""The lines `npm error` and `npm warn` (`npm ERR!` and `npm WARN` before version 10)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import BuildDiagnostic, diagnostic, span

_LINE = re.compile(r"^npm (?P<level>error|warn|ERR!|WARN)(?: (?P<text>.*))?$")
_WARNING_CODE = re.compile(
    r"^(?P<code>[A-Z][A-Z_]+[A-Z]|deprecated|old lockfile|peer dep|config|cleanup)\s+(?P<text>.+)$"
)
_NOISE = (
    "A complete log of this run",
    "For a full report see",
    "code ",
    "errno ",
    "syscall ",
    "path ",
    "In most cases you or one of your",
    "Unknown user config ",
    "Unknown env config ",
    "Unknown project config ",
    "To see a list of scripts",
    "npm run",
    "Note that you can also install from a",
    "tarball, folder, http url, or git url",
)
# What npm puts before each line of some errors.
_PREFIXES = ("notarget ", "JSON.parse ")
MAX_LINES = 12


class _Error:
    """npm's current error: a `code` line, and the lines that explain it."""

    def __init__(self) -> None:
        self.code = ""
        self.text: list[str] = []
        self.first: LogLine | None = None
        self.last: LogLine | None = None

    def add(self, line: LogLine, text: str) -> None:
        self.first = self.first or line
        self.last = line
        if text.startswith("code "):
            self.code = text[5:].split()[0][:40] if text[5:].split() else ""
            return
        if self.code.isdecimal() and text.startswith("path "):
            self.text.append(f"in {text[5:]}")  # the package whose script has failed with that exit code
            return
        for prefix in (self.code, *_PREFIXES):
            text = text.removeprefix(prefix).strip() if prefix else text
        if self.code == "E404" and self.text:
            text = text.removeprefix("404").strip()
        if text and not text.startswith(_NOISE) and "-report.txt" not in text and len(self.text) < MAX_LINES:
            self.text.append(text)

    def diagnostic(self, tool: str) -> BuildDiagnostic | None:
        if self.first is None or not (self.text or self.code):
            return None
        message = "\n".join(self.text) or f"npm failed with {self.code}"
        return diagnostic(tool, "error", message, span(self.first, self.last), code=self.code)


def messages(tool: str, lines: Iterable[tuple[LogLine, str]]) -> Iterator[BuildDiagnostic]:
    """One error for what npm says of its failure, with its code, and a warning for each `npm warn`."""
    error = _Error()
    for line, text in lines:
        if not text.startswith("npm ") or not (found := _LINE.match(text)):
            continue
        said = (found["text"] or "").strip()
        if found["level"] in ("error", "ERR!"):
            error.add(line, said)
        elif said and not said.startswith(_NOISE):
            coded = _WARNING_CODE.match(said)
            code, message = (coded["code"], coded["text"]) if coded else (None, said)
            yield diagnostic(tool, "warning", message, span(line), code=code)
    if problem := error.diagnostic(tool):
        yield problem
