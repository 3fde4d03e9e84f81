"""`forge build`.

Its text is read, not its `--json`: with that it ends with exit code 0 when sources do not compile, and prints the
bytecode of the whole project. A caller may pass `--json`; the messages in it are understood as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tools.builds.diagnostics import BuildDiagnostic, Parsed, Severity, collected, diagnostic
from tools.builds.plugin import Output, Plugin, before
from tools.builds.plugins.foundry import ENVIRONMENT, REFUSED, forge_messages
from tools.builds.plugins.solidity_messages import PLACE

NAME = "forge.build"


class _CompilerMessage(msgspec.Struct):
    severity: str
    message: str
    type: str = ""
    code: str | int | None = msgspec.field(name="errorCode", default=None)
    formatted: str | None = msgspec.field(name="formattedMessage", default=None)
    place: dict[str, Any] | None = msgspec.field(name="sourceLocation", default=None)


class _Build(msgspec.Struct):
    errors: list[_CompilerMessage] = []


_DECODER = msgspec.json.Decoder(_Build)


def parse(output: Output) -> Parsed:
    if output.stdout.lstrip()[:1] == b"{":
        try:
            found = list(_of_json(_DECODER.decode(output.stdout)))
        except (msgspec.DecodeError, UnicodeDecodeError):
            found = []
        if found:
            return collected(found, failed=any(each.severity == "error" for each in found))
    return collected(forge_messages(NAME, output))


def _of_json(build: _Build) -> Iterator[BuildDiagnostic]:
    for each in build.errors:
        severity: Severity = (
            "error" if each.severity == "error" else "warning" if each.severity == "warning" else "info"
        )
        places = (PLACE.match(line) for line in (each.formatted or "").splitlines())
        place = next((found for found in places if found), None)
        file = str((each.place or {}).get("file") or "") or (place["file"] if place else "")
        line, column = (int(place["line"] or 0), int(place["column"] or 0)) if place else (0, 0)
        code = str(each.code) if each.code is not None else each.type
        yield diagnostic(NAME, severity, each.message, code=code, file=file, line=line, column=column)


PLUGIN = Plugin(
    name=NAME,
    title="forge build",
    description="Run `forge build` and return the Solidity errors and warnings with file, line and column.",
    program="forge",
    argv=before("build"),
    parse=parse,
    environment=ENVIRONMENT,
    refused=REFUSED,
    separate=True,
)
