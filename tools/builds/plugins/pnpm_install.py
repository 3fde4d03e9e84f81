"""`pnpm install`: lines of versions up to 11, boxes of later ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import BuildDiagnostic, Parsed, collected, diagnostic, span
from tools.builds.plugin import Output, Plugin, before
from tools.builds.plugins.package_installs import ENVIRONMENT, OUTSIDE

NAME = "pnpm.install"
_CODED = re.compile(r"^\s?(?P<code>ERR_PNPM_\w+|ELIFECYCLE)\s\s?(?P<text>\S.*)$")
_ERROR = re.compile(r"^\s?ERROR\s\s?(?P<text>\S.*)$")
_WARNING = re.compile(r"^(?:\[WARN\]|\s?WARN\s)\s?(?P<text>\S.*)$")
_BOX = re.compile(r"^Error:\s+(?:(?P<code>ERR_PNPM_\w+)\s*$|×?\s*(?P<text>\S.*)$)")
_FRAME = re.compile(r"^\s*[×│├╰─▶]+[─▶]*\s?")
_IN_FILE = re.compile(r" in (?P<file>/\S+\.json)\s*$")
_DEPENDENT = re.compile(r"^[│ ]{0,80}[├└]─┬ (?P<name>\S.*)$")
_PEER = re.compile(r"^[│ ]{0,80}[├└]──? ✕ (?P<text>\S.*)$")
MAX_LINES = 20


class _Box:
    """An error drawn as a chain of causes. With a code, the innermost, printed last, is sufficient."""

    def __init__(self, line: LogLine, code: str | None, text: str) -> None:
        self.first = self.last = line
        self.code = code
        self.causes = [text] if text else []
        self._lines = 0

    def add(self, line: LogLine, text: str) -> bool:
        """Take a line; False when the chain has ended."""
        self._lines += 1
        stripped = text.strip()
        if self._lines > MAX_LINES or stripped.startswith("help:"):
            return False
        if not stripped:
            return not self.causes
        body = _FRAME.sub("", text).strip()
        if any(mark in text[:8] for mark in ("×", "├", "╰")):
            self.causes.append(body)
        elif body and self.causes:
            self.causes[-1] = _joined(self.causes[-1], body)
        self.last = line
        return True

    def diagnostic(self) -> BuildDiagnostic:
        chain = self.causes[-1:] if self.code else self.causes
        message = ": ".join(chain) or f"pnpm failed with {self.code}"
        return diagnostic(NAME, "error", message, span(self.first, self.last), code=self.code)


def _joined(before: str, after: str) -> str:
    """Two pieces of a wrapped text; a word that was broken at a hyphen becomes one again."""
    return before + after if before.endswith("-") else f"{before} {after}"


def messages(output: Output) -> Iterator[BuildDiagnostic]:
    box: _Box | None = None
    dependent = ""
    for line, text in output.lines():
        if box:
            if box.add(line, text):
                continue
            yield box.diagnostic()
            box = None
        if start := _BOX.match(text):
            box = _Box(line, start["code"], start["text"] or "")
        elif found := _CODED.match(text):
            yield diagnostic(NAME, "error", found["text"], span(line), code=found["code"])
        elif found := _ERROR.match(text):
            file = _IN_FILE.search(found["text"])
            shown = output.relative(file["file"]) if file else None
            yield diagnostic(NAME, "error", found["text"], span(line), file=shown)
        elif found := _WARNING.match(text):
            yield diagnostic(NAME, "warning", found["text"], span(line))
        elif found := _DEPENDENT.match(text):
            dependent = found["name"]
        elif found := _PEER.match(text):
            yield diagnostic(NAME, "warning", f"{dependent}: {found['text']}", span(line), code="peer")
    if box:
        yield box.diagnostic()


def parse(output: Output) -> Parsed:
    return collected(messages(output))


PLUGIN = Plugin(
    name=NAME,
    title="pnpm install",
    description="Run `pnpm install` and return its errors and warnings. Changes node_modules: needs confirmed: true.",
    program="pnpm",
    argv=before("install"),
    parse=parse,
    # pnpm wraps its messages at the width of the terminal.
    environment={**ENVIRONMENT, "COLUMNS": "400", "npm_config_confirm_modules_purge": "false"},
    refused=(OUTSIDE,),
    mutates=True,
    network=True,
)
