"""One source file, prepared for questions about byte ranges."""

from __future__ import annotations

from pathlib import PurePosixPath

from simulator.coverage.declarations import FunctionDeclaration, scan_declarations, scan_vyper_declarations
from simulator.coverage.line_index import LineIndex
from simulator.project import SourceFile

VYPER_SUFFIX = ".vy"


class SourceText:
    """Content, lines and declarations of a source. Built once a file and used by all codes that map to it."""

    def __init__(self, source: SourceFile) -> None:
        self.path = source.path
        self.content = source.content
        self.data = source.content.encode("utf-8", "surrogateescape")
        self.lines = LineIndex(self.data)
        is_vyper = source.path.endswith(VYPER_SUFFIX)
        name = PurePosixPath(source.path).stem
        self._declarations = scan_vyper_declarations(self.data, name) if is_vyper else scan_declarations(self.data)

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
        """Whether a braced block starts here; its braces are not statements."""
        return self.data[start : start + 1] == b"{"
