"""Chunks of Vyper, which looks like Python without being it: every declaration starts in column 0."""

from __future__ import annotations

import re

from tools.codebase.chunking.chunk import Chunk, ChunkType, lines_of

_BLOCK = re.compile(r"(?P<word>def|struct|event|interface|enum|flag)\s+(?P<name>\w+)")
_VARIABLE = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*:\s*\S")
_KINDS = {
    "def": ChunkType.FUNCTION,
    "struct": ChunkType.CLASS,
    "event": ChunkType.PROPERTY,
    "interface": ChunkType.INTERFACE,
    "enum": ChunkType.CLASS,
    "flag": ChunkType.CLASS,
}
_DIRECTIVES = frozenset(("implements", "uses", "initializes", "exports"))
_QUOTES = re.compile(r'"""|\'\'\'')


def chunks_of_vyper(source: str) -> list[Chunk]:
    """One chunk for each function, struct, event, interface, enum and state variable, with the decorators and comments
    directly above it."""
    lines = [line.rstrip("\r") for line in lines_of(source)]
    starts = _top_level(lines)
    chunks = []
    for number, row in enumerate(starts):
        found = _declared(lines[row])
        if found is None:
            continue
        name, kind = found
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        last = max((each for each in range(row, end) if lines[each].strip()), default=row)
        chunks.append(Chunk(name, kind, _first(lines, row, starts) + 1, last + 1))
    return chunks


def _top_level(lines: list[str]) -> list[int]:
    """Rows that begin something in column 0, outside strings of several lines."""
    rows = []
    quote = ""
    for row, line in enumerate(lines):
        if not quote and line[:1] not in ("", " ", "\t", ")", "]", "}"):
            rows.append(row)
        for mark in _QUOTES.findall(line.split("#", 1)[0] if not quote else line):
            quote = "" if quote == mark else quote or mark
    return rows


def _declared(line: str) -> tuple[str, ChunkType] | None:
    if block := _BLOCK.match(line):
        return block["name"], _KINDS[block["word"]]
    variable = _VARIABLE.match(line)
    if variable is None or variable["name"] in _DIRECTIVES:
        return None
    return variable["name"], ChunkType.FIELD


def _first(lines: list[str], row: int, starts: list[int]) -> int:
    """The row of the first decorator or comment directly above."""
    beginnings = set(starts)
    while row - 1 in beginnings and lines[row - 1].startswith(("@", "#")):
        row -= 1
    return row
