"""`eslint --format json`: what it reports has no place in the log, so log ranges are 0 (decision D9)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from tools.builds.diagnostics import BuildDiagnostic, Parsed, collected, diagnostic, span
from tools.builds.plugin import Output, Plugin, Refusal, before

NAME = "eslint.lint"
_CODE = Refusal(
    ("--config", "-c", "--rulesdir", "--plugin", "--resolve-plugins-relative-to", "--parser", "--format", "-f"),
    "it loads code from elsewhere or changes the output; put it into the project's configuration",
)
_WRITES = Refusal(("--output-file", "-o", "--init"), "it writes files or asks questions")
MAX_LINES = 8
_FATAL = ("Oops!", "Error:", "TypeError:", "Invalid option")
_LINTING = re.compile(r"^Occurred while linting (?P<file>\S.*):(?P<line>\d{1,9})$")


class _Message(msgspec.Struct):
    severity: int
    message: str
    rule: str | None = msgspec.field(name="ruleId", default=None)
    line: int | None = None
    column: int | None = None


class _File(msgspec.Struct):
    path: str = msgspec.field(name="filePath")
    messages: list[_Message]


_DECODER = msgspec.json.Decoder(list[_File], strict=False)


def _reported(output: Output, files: list[_File]) -> Iterator[BuildDiagnostic]:
    for file in files:
        for each in file.messages:
            yield diagnostic(
                NAME,
                "error" if each.severity == 2 else "warning",
                each.message,
                code=each.rule,
                file=output.relative(file.path),
                line=each.line,
                column=each.column,
            )


def _fatal(output: Output) -> Iterator[BuildDiagnostic]:
    """eslint's output when it cannot lint at all: a few lines of text behind `ESLint: <version>`, then its stack."""
    first = last = place = None
    said: list[str] = []
    for line, text in output.lines():
        text = text.strip()
        if first is None:
            first = line if text.startswith(_FATAL) else None
            said += [text] if first and not text.startswith("Oops!") else []
        elif found := _LINTING.match(text):
            place, last = found, line
        elif text and not text.startswith(("ESLint:", "at ")) and len(said) < MAX_LINES:
            said.append(text)
            last = line
    if first and said:
        file, at = (output.relative(place["file"]), int(place["line"])) if place else (None, None)
        yield diagnostic(NAME, "error", "\n".join(said), span(first, last), code="FATAL", file=file, line=at)


def _too_many(output: Output) -> Iterator[BuildDiagnostic]:
    """`--max-warnings` fails a run that has warnings only."""
    for line, text in output.lines():
        if text.startswith("ESLint found too many warnings"):
            yield diagnostic(NAME, "error", text, span(line), code="MAX_WARNINGS")


def parse(output: Output) -> Parsed:
    start = output.stdout.find(b"[")
    try:
        files = _DECODER.decode(output.stdout[start:]) if start >= 0 else []
    except (msgspec.DecodeError, UnicodeDecodeError):
        files = []
    found = list(_reported(output, files))
    if output.exit_code == 2:
        return collected(found or _fatal(output))
    return collected([*found, *_too_many(output)])


PLUGIN = Plugin(
    name=NAME,
    title="eslint",
    description="Run `eslint` on files or folders given as args and return its findings with rule, file and line.",
    program="eslint",
    argv=before("--format", "json"),
    parse=parse,
    refused=(_CODE, _WRITES),
    separate=True,
)
