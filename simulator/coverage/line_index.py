"""Places in a source: from solc's UTF-8 byte offsets to lines and columns."""

from __future__ import annotations

from bisect import bisect_right


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
