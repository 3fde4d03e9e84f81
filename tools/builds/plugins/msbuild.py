"""Messages of MSBuild and its compilers, one a line, as `dotnet build` and `dotnet test` print them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import BuildDiagnostic, Severity, diagnostic, span

ENVIRONMENT = {
    "DOTNET_CLI_UI_LANGUAGE": "en",
    "DOTNET_NOLOGO": "1",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
    "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
    "MSBUILDDISABLENODEREUSE": "1",
    "MSBUILDTERMINALLOGGER": "off",
    "UseSharedCompilation": "false",
}
_PROJECT = re.compile(r"\s\[(?P<project>[^\[\]]+?\.\w*proj)(?:::[^\]]*)?\]$")
# A file name may have parentheses of its own, as long as no digit follows the opening one.
_FILE = r"(?P<file>[^\s(][^(]*(?:\([^)\d][^)]*\)[^(]*)*)"
_SAYS = (
    r"\s{0,8}:\s{0,8}(?:[\w ]{1,40} )?(?P<severity>error|warning)\s{1,8}(?P<code>[A-Za-z]+\w*)\s{0,8}:(?P<message>.+)$"
)
_SOURCE = re.compile(rf"^{_FILE}\((?P<line>\d+)(?:,(?P<column>\d+))?(?:[-,][\d,-]*)?\){_SAYS}")
_WHOLE = re.compile(rf"^(?P<file>.+?){_SAYS}")
_NODE = re.compile(r"^\d{1,4}>\s{0,16}")
_TOOLS = frozenset({"MSBUILD", "CSC", "VBC", "FSC", "NUGET", "DOTNET", "EXEC", "LINK"})


def is_candidate(text: str) -> bool:
    return "error" in text or "warning" in text


def project_of(text: str) -> str:
    """The project that MSBuild appends in brackets, empty when there is none."""
    found = _PROJECT.search(text.strip())
    return found["project"] if found else ""


def messages(tool: str, lines: Iterable[tuple[LogLine, str]]) -> Iterator[BuildDiagnostic]:
    """Errors and warnings of compilers and of MSBuild itself, without the project in brackets."""
    for line, text in lines:
        if is_candidate(text) and (found := message(tool, line, text)):
            yield found


def message(tool: str, line: LogLine, text: str) -> BuildDiagnostic | None:
    """The diagnostic that a line is, None when it is none."""
    body = _NODE.sub("", _PROJECT.sub("", text.strip()))
    found = _SOURCE.match(body)
    if found:
        return diagnostic(
            tool,
            _severity(found["severity"]),
            found["message"],
            span(line),
            code=found["code"],
            file=found["file"].strip(),
            line=int(found["line"][:9]),
            column=int((found["column"] or "0")[:9]),
        )
    found = _WHOLE.match(body)
    if not found:
        return None
    file = found["file"].strip()
    return diagnostic(
        tool,
        _severity(found["severity"]),
        found["message"],
        span(line),
        code=found["code"],
        file=None if file.upper() in _TOOLS else file,
    )


def _severity(word: str) -> Severity:
    return "error" if word == "error" else "warning"
