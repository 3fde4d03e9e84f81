"""Source files, prepared for questions about places and byte ranges."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from pathlib import PurePosixPath

from simulator.coverage.declarations import (
    FunctionDeclaration,
    FunctionDeclarations,
    scan_declarations,
    scan_vyper_declarations,
)
from simulator.project import SourceFile

VYPER_SUFFIX = ".vy"


class LineIndex:
    """Lines end with a line feed only, as in LCOV and in solc's own messages; a carriage return stays in its line."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._starts = [0]
        position = content.find(b"\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = content.find(b"\n", position + 1)

    @property
    def count(self) -> int:
        """Number of lines; the piece behind the last line feed counts even when it is empty."""
        return len(self._starts)

    def line(self, offset: int) -> int:
        """The line, from 1, that holds this byte; offsets outside of the content give the nearest line."""
        return max(bisect_right(self._starts, offset), 1)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1; columns count characters, not bytes."""
        line = self.line(offset)
        before = self._content[self._starts[line - 1] : max(offset, 0)]
        return line, len(before.decode("utf-8", "replace")) + 1


class SourceText:
    """Content, lines and declarations of a source. Built once a file and used by all codes that map to it."""

    def __init__(self, source: SourceFile) -> None:
        self.path = source.path
        self.content = source.content
        self.data = source.content.encode("utf-8", "surrogateescape")
        self.lines = LineIndex(self.data)

    @cached_property
    def _declarations(self) -> FunctionDeclarations:
        if not self.path.endswith(VYPER_SUFFIX):
            return scan_declarations(self.data)
        return scan_vyper_declarations(self.data, PurePosixPath(self.path).stem)

    @property
    def functions(self) -> tuple[FunctionDeclaration, ...]:
        return self._declarations.functions

    def function_at(self, offset: int) -> FunctionDeclaration | None:
        return self._declarations.function_at(offset)

    def line_text(self, line: int) -> str:
        """The text of a line, from 1, without the white space around it; empty behind the last one."""
        lines = self.content.split("\n", line)
        return lines[line - 1].strip() if line <= len(lines) else ""

    def is_block(self, start: int) -> bool:
        """Return whether a braced block starts here; its braces are not statements."""
        return self.data[start : start + 1] == b"{"
