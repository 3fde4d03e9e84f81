"""The two statements that must be understood before a compiler is chosen: `pragma solidity` and `import`."""

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


def _without_comment(match: re.Match[str]) -> str:
    """Blanks in place of a comment, so that everything behind it keeps its line and column."""
    if match[0][0] in "\"'":
        return match[0]
    return "\n".join(" " * len(line) for line in match[0].split("\n"))


def _directive(kind: Literal["pragma", "import"], value: str, text: str, offset: int) -> Directive:
    return Directive(kind, value, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
