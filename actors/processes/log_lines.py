"""Lines of a log, read in blocks: memory does not depend on how long the log or a line is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

BLOCK = 128 << 10
MAX_LINE_LENGTH = 16 << 10


class LogLine(NamedTuple):
    """A line of a log: its 1-based number, the bytes `start` to `end` (exclusive) that it takes without its line end,
    and its text in bytes: what stands behind its last carriage return, because a progress bar is drawn over and over,
    cut at `MAX_LINE_LENGTH`."""

    number: int
    start: int
    end: int
    data: bytes


def log_lines(file: BinaryIO, number: int, offset: int, stop: int) -> Iterator[LogLine]:
    """The lines of `file` from line `number`, which begins at `offset`, up to byte `stop`. CR before LF belongs to the
    line end. A last line without a line end counts."""
    file.seek(offset)
    start, head, last = offset, b"", b""
    position = offset
    while position < stop and (block := file.read(min(BLOCK, stop - position))):
        first, *rest = block.split(b"\n")
        if rest:
            yield _line(number, start, position + len(first), _grown(head, last, first), first or last)
            number, start = number + 1, position + len(first) + 1
            tail = rest.pop()
            for data in rest:
                end = start + len(data)
                yield _line(number, start, end, _grown(b"", b"", data), data)
                number, start = number + 1, end + 1
            head, last = _grown(b"", b"", tail), tail[-1:]
        else:
            head, last = _grown(head, last, first), first[-1:]
        position += len(block)
    if position > start:
        yield _line(number, start, position, head, last)


def _line(number: int, start: int, end: int, data: bytes, tail: bytes) -> LogLine:
    return LogLine(number, start, end - 1 if tail.endswith(b"\r") else end, data)


def _grown(head: bytes, last: bytes, piece: bytes) -> bytes:
    """The text of a line with its next piece; `last` is the byte before that."""
    drawn = piece.rstrip(b"\r")
    if last == b"\r" and drawn:
        head = b""
    text = head + drawn
    return text[text.rfind(b"\r") + 1 :][:MAX_LINE_LENGTH]
