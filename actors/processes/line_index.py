"""Line index of a growing log: one mark for about 64 KiB, so that the index stays small."""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right

import msgspec

STRIDE = 64 << 10
_MARK = struct.Struct("<QQ")
MARK_BYTES = _MARK.size


class Mark(msgspec.Struct, frozen=True):
    """`lines` whole lines lie before byte `offset`, at which a line begins."""

    lines: int
    offset: int


class LogLineIndex:
    """Marks of one log. At any time the whole lines, the bytes, and for each line a mark at most `STRIDE` bytes and
    one line before it are known."""

    def __init__(self) -> None:
        self._lines = array("Q", [0])
        self._offsets = array("Q", [0])
        self._newlines = 0
        self._bytes = 0
        self._open_line = False

    @property
    def total_bytes(self) -> int:
        return self._bytes

    @property
    def total_lines(self) -> int:
        """Lines so far; a last one without a newline counts."""
        return self._newlines + self._open_line

    def add(self, chunk: bytes) -> bytes:
        """Take the next bytes of the log. Returns the encoding of the marks that came with them."""
        if not chunk:
            return b""
        encoded = bytearray()
        position = 0
        while (end := self._mark_position(chunk, position)) > 0:
            self._newlines += chunk.count(b"\n", position, end)
            position = end
            self._append(Mark(self._newlines, self._bytes + position))
            encoded += _MARK.pack(self._newlines, self._bytes + position)
        self._newlines += chunk.count(b"\n", position)
        self._bytes += len(chunk)
        self._open_line = chunk[-1:] != b"\n"
        return bytes(encoded)

    def _mark_position(self, chunk: bytes, position: int) -> int:
        """Offset in the chunk of the first line that is due for a mark, 0 when none is."""
        due = self._offsets[-1] + STRIDE - self._bytes
        return chunk.find(b"\n", max(position, due - 1)) + 1

    def _append(self, mark: Mark) -> None:
        # Other threads look up lines meanwhile: what `before_line` finds first must come last.
        self._offsets.append(mark.offset)
        self._lines.append(mark.lines)

    def before_line(self, line: int) -> Mark:
        """The last mark at or before the beginning of a 1-based line."""
        at = bisect_right(self._lines, max(line, 1) - 1) - 1
        return Mark(self._lines[at], self._offsets[at])

    def last(self) -> Mark:
        at = len(self._lines) - 1
        return Mark(self._lines[at], self._offsets[at])

    @classmethod
    def decoded(cls, marks: bytes, total_bytes: int) -> LogLineIndex:
        """The marks of a stored index, as far as they are in order and within the log; what follows the last of them
        is not counted yet. A torn or damaged index costs time, not correctness of what is in order."""
        index = cls()
        for lines, offset in _MARK.iter_unpack(marks[: len(marks) // MARK_BYTES * MARK_BYTES]):
            if not index._lines[-1] < lines <= offset <= total_bytes or offset <= index._offsets[-1]:
                break
            index._append(Mark(lines, offset))
        index._newlines, index._bytes = index._lines[-1], index._offsets[-1]
        return index
