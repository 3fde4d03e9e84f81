"""solc's text messages, as solc and forge print them: a headline, then `--> file:line:column`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import BuildDiagnostic, Severity, diagnostic, span

_HEAD = re.compile(
    r"^(?P<kind>(?:[A-Z]\w*)?(?:Error|Warning|Exception)|Info|Note)(?: \((?P<code>\d{1,6})\))?: (?P<text>\S.*)$"
)
PLACE = re.compile(r"^\s{0,8}--> (?P<file>.+?)(?::(?P<line>\d{1,9}))?(?::(?P<column>\d{1,9}))?:?$")
_EXCERPT = re.compile(r"^\s{0,8}\d{0,6} \|")
_WRAPPERS = ("Compiler run failed", "Compilation failed", "Compiler error")
MAX_LINES = 6


class _Message:
    """A message while its lines come: headline, continuation, place, excerpt."""

    def __init__(self, line: LogLine, head: re.Match[str]) -> None:
        self.first = self.last = line
        self.head = head
        self.text = [head["text"]]
        self.place: re.Match[str] | None = None

    def add(self, line: LogLine, text: str) -> bool:
        """Take a line; False when it is none of the message."""
        if self.place is None:
            self.place = PLACE.match(text)
            if self.place is None and text.strip() and not _EXCERPT.match(text) and len(self.text) < MAX_LINES:
                self.text.append(text.strip())
                return True
            if self.place is None:
                return False
        elif not _EXCERPT.match(text):
            return False
        self.last = line
        return True

    def diagnostic(self, tool: str) -> BuildDiagnostic:
        kind, place = self.head["kind"], self.place
        text = self.text if place else self.text[:1]
        return diagnostic(
            tool,
            _severity(kind),
            "\n".join(text),
            span(self.first, self.last),
            code=self.head["code"] or (kind if kind not in ("Error", "Warning", "Info", "Note") else None),
            file=place["file"] if place else None,
            line=int(place["line"] or 0) if place else None,
            column=int(place["column"] or 0) if place else None,
        )


def messages(tool: str, lines: Iterable[tuple[LogLine, str]]) -> Iterator[BuildDiagnostic]:
    """Errors, warnings and infos in the order in which they were printed. Notes belong to the message before them."""
    message: _Message | None = None
    for line, text in lines:
        if message and message.add(line, text):
            continue
        if message:
            yield message.diagnostic(tool)
            message = None
        head = _HEAD.match(text) if ": " in text else None
        if head and head["kind"] != "Note" and not head["text"].startswith(_WRAPPERS):
            message = _Message(line, head)
    if message:
        yield message.diagnostic(tool)


def _severity(kind: str) -> Severity:
    if kind.endswith("Warning"):
        return "warning"
    return "info" if kind == "Info" else "error"
