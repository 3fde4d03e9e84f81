"""Scan of a source before a compiler is chosen: versions, imports and declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

_STRING = r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
_COMMENT_OR_STRING = re.compile(rf"//[^\n\r]*|/\*.*?(?:\*/|\Z)|{_STRING}", re.DOTALL)
_STATEMENT = re.compile(
    rf"(?P<string>{_STRING})"
    r"|\bpragma\s+solidity\b(?P<range>[^;]*);"
    rf"|\bimport\b[^;\"']*?(?P<path>{_STRING})[^;\"']*;"
)
_CONTRACT = re.compile(
    r"\b(?P<abstract>abstract\s+)?(?P<kind>contract|library|interface)\s+(?P<name>[A-Za-z_$][\w$]*)\s*"
    r"(?:\{|is\b|layout\b)"
)
_ARTIFACT = re.compile(r"\b(?:getCode|getDeployedCode|deployCode|deployCodeTo)\s*\(\s*(?P<path>\"[^\"\n]*\")?")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Directive(msgspec.Struct, frozen=True):
    """`text` is the version expression or the import path; `line` and `column` are 1-based and point at it."""

    kind: Literal["pragma", "import"]
    text: str
    line: int
    column: int


def scan_directives(source: str) -> Iterator[Directive]:
    """The directives of a Solidity source in their order. Never fails: what it cannot read is left to the compiler."""
    text = _COMMENT_OR_STRING.sub(_without_comment, source)
    for match in _STATEMENT.finditer(text):
        if match["range"] is not None:
            yield _directive("pragma", match["range"].strip(), text, match.start("range"))
        elif match["path"] is not None:
            yield _directive("import", _ESCAPE.sub(r"\1", match["path"][1:-1]), text, match.start("path"))


def declared_contracts(source: str) -> tuple[str, ...]:
    """The names of the contracts, libraries and interfaces that a source declares, in its order."""
    text = _COMMENT_OR_STRING.sub(_blank, source)
    return tuple(match["name"] for match in _CONTRACT.finditer(text))


def requested_artifacts(source: str) -> tuple[str, ...]:
    """Return the artifacts that a source asks cheatcodes for by a literal text: `Name.sol`, `Name.sol:Name`, `Name`."""
    text = _COMMENT_OR_STRING.sub(_without_comment, source)
    return tuple(match["path"][1:-1] for match in _ARTIFACT.finditer(text) if match["path"])


def without_pragmas(source: str) -> str:
    """The source with blanks of the same size in bytes in place of `pragma solidity`, so that any release reads it."""
    text = _COMMENT_OR_STRING.sub(_without_comment, source)
    parts, position = [], 0
    for match in _STATEMENT.finditer(text):
        if match["range"] is not None:
            parts += [source[position : match.start()], " " * len(source[match.start() : match.end()].encode())]
            position = match.end()
    return "".join([*parts, source[position:]])


def _blank(match: re.Match[str]) -> str:
    return " "


def _without_comment(match: re.Match[str]) -> str:
    """Blanks in place of a comment, so that everything behind it keeps its line and column."""
    if match[0][0] in "\"'":
        return match[0]
    return "\n".join(" " * len(line) for line in match[0].split("\n"))


def _directive(kind: Literal["pragma", "import"], value: str, text: str, offset: int) -> Directive:
    return Directive(kind, value, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
