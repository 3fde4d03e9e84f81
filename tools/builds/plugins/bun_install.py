"""`bun install`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import BuildDiagnostic, Parsed, Severity, collected, diagnostic, span
from tools.builds.plugin import Output, Plugin, before
from tools.builds.plugins.package_installs import ENVIRONMENT, OUTSIDE

NAME = "bun.install"
_LINE = re.compile(r"^(?P<level>error|warn|warning)(?:\((?P<code>\w+)\))?: (?P<text>\S.*)$")
_PLACE = re.compile(r"^\s{1,8}at (?P<file>\S.*):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")


def messages(output: Output) -> Iterator[BuildDiagnostic]:
    held: tuple[LogLine, Severity, str, str | None] | None = None
    for line, text in output.lines():
        place = _PLACE.match(text) if held else None
        if held:
            yield _diagnostic(output, held, line, place)
            held = None
        if found := _LINE.match(text):
            severity: Severity = "error" if found["level"] == "error" else "warning"
            held = (line, severity, found["text"], found["code"])
    if held:
        yield _diagnostic(output, held, None, None)


def _diagnostic(
    output: Output,
    held: tuple[LogLine, Severity, str, str | None],
    line: LogLine | None,
    place: re.Match[str] | None,
) -> BuildDiagnostic:
    first, severity, text, code = held
    if place is None:
        return diagnostic(NAME, severity, text, span(first), code=code)
    return diagnostic(
        NAME,
        severity,
        text,
        span(first, line),
        code=code,
        file=output.relative(place["file"]),
        line=int(place["line"]),
        column=int(place["column"]),
    )


def parse(output: Output) -> Parsed:
    return collected(messages(output))


PLUGIN = Plugin(
    name=NAME,
    title="bun install",
    description="Run `bun install` and return its errors and warnings. Changes node_modules: needs confirmed: true.",
    program="bun",
    argv=before("install"),
    parse=parse,
    environment=ENVIRONMENT,
    refused=(OUTSIDE,),
    mutates=True,
    network=True,
)
