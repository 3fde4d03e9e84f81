"""Messages of a compiler with their place in the source, as people and editors expect them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from simulator.errors import CompileError
from simulator.printable import one_line, printable

Severity = Literal["error", "warning", "info"]
_PLACE = re.compile(r"(?:^|--> )([^\n:]+):(\d+):(\d+)", re.MULTILINE)
_MAX_TAB = 4


class Diagnostic(msgspec.Struct, frozen=True):
    """Lines and columns are 1-based and count characters; 0 means that the message belongs to no place. The end is
    the first position behind. `code` is solc's number, or empty. `excerpt` is the source line."""

    severity: Severity
    code: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    excerpt: str = ""


class CompilationFailed(CompileError):  # noqa: N818 - an outcome of the sources, not of the program
    """The sources do not compile. `diagnostics` holds every error, and the warnings that came with them."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(render_diagnostics(each for each in self.diagnostics if each.severity == "error"))


def position_at(source: str, offset: int) -> tuple[int, int]:
    """1-based line and column of a byte offset into the UTF-8 form of a source; offsets behind the end are its end."""
    before = source.encode()[:offset].decode(errors="ignore")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def line_at(source: str, line: int) -> str:
    """The text of a 1-based line without its end, or an empty text when there is no such line."""
    lines = source.split("\n")
    return lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else ""


def seen_from(folder: Path, root: Path, diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic with a path that leads from `folder` to the file: relative where the file is below it, else
    absolute. A name that is no file below `root`, such as a unit of a recorded compilation, stays as it is."""
    file = Path(os.path.normpath(root / diagnostic.file))
    if not diagnostic.file or not file.is_file():
        return diagnostic
    shown = file.relative_to(folder) if file.is_relative_to(folder) else file
    return msgspec.structs.replace(diagnostic, file=shown.as_posix())


def from_solc(error: Mapping[str, Any], sources: Mapping[str, str]) -> Diagnostic:
    """One entry of `errors` in solc's standard-JSON output. `sources` gives the texts by source unit name."""
    severity: Severity = error.get("severity") if error.get("severity") in ("warning", "info") else "error"  # type: ignore[assignment]
    code = str(error.get("errorCode") or "")
    message = str(error.get("message") or error.get("formattedMessage") or "unknown error").strip()
    location = error.get("sourceLocation") or {}
    file, start, end = location.get("file") or "", location.get("start", -1), location.get("end", -1)
    if file in sources and start >= 0:
        text = sources[file]
        line, column = position_at(text, start)
        end_line, end_column = position_at(text, max(start, end))
        return Diagnostic(severity, code, message, file, line, column, end_line, end_column, line_at(text, line))
    if place := _PLACE.search(str(error.get("formattedMessage") or "")):
        file, line, column = place[1].strip(), int(place[2]), int(place[3])
        return Diagnostic(
            severity, code, message, file, line, column, line, column, line_at(sources.get(file, ""), line)
        )
    return Diagnostic(severity, code, message, file)


def render_diagnostic(diagnostic: Diagnostic) -> str:
    """`file:line:column: severity: message [code]`, then the source line with a caret under the place."""
    place = _place(diagnostic)
    head = f"{place}: " if place else ""
    tail = f" [{one_line(diagnostic.code)}]" if diagnostic.code else ""
    first = f"{head}{diagnostic.severity}: {printable(diagnostic.message)}{tail}"
    if not diagnostic.excerpt.strip():
        return first
    return f"{first}\n  {_shown(diagnostic.excerpt)}\n  {_caret(diagnostic)}"


def _place(diagnostic: Diagnostic) -> str:
    parts = (one_line(diagnostic.file), diagnostic.line, diagnostic.column)
    return ":".join(str(part) for part in parts if part)


def _shown(source: str) -> str:
    """A part of a source line as it is printed."""
    return one_line(source.expandtabs(_MAX_TAB))


def _caret(diagnostic: Diagnostic) -> str:
    start = diagnostic.column - 1
    one_line = diagnostic.end_line == diagnostic.line
    end = diagnostic.end_column - 1 if one_line else len(diagnostic.excerpt)
    left = len(_shown(diagnostic.excerpt[:start]))
    width = len(_shown(diagnostic.excerpt[:end])) - left
    return " " * left + "^" * max(1, width)


def render_as_solc(diagnostic: Diagnostic) -> str:
    """As solc prints it with `--error-codes`: headline, place, and the source line between bars."""
    code = f" ({one_line(diagnostic.code)})" if diagnostic.code else ""
    head = f"{diagnostic.severity.capitalize()}{code}: {printable(diagnostic.message)}"
    place = _place(diagnostic)
    if not place:
        return f"{head}\n"
    if not diagnostic.excerpt.strip():
        return f"{head}\n --> {place}\n"
    margin = " " * len(str(diagnostic.line))
    excerpt = _shown(diagnostic.excerpt)
    marked = f"{margin} |\n{diagnostic.line} | {excerpt}\n{margin} | {_caret(diagnostic)}"
    return f"{head}\n{margin}--> {place}:\n{marked}\n"


def render_diagnostics(diagnostics: Iterable[Diagnostic]) -> str:
    return "\n".join(render_diagnostic(each) for each in diagnostics)
