"""Lines of a log, read in blocks: memory does not depend on how long the log or a line is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

BLOCK = 128 << 10
LONGEST_LINE = 16 << 10


class LogLine(NamedTuple):
    """A line of a log: its 1-based number, the bytes `start` to `end` (exclusive) that it takes without its line end,
    and its text in bytes. Of one that is longer than `LONGEST_LINE`, the first so many bytes behind its last carriage
    return: a progress bar is drawn over and over, and what was drawn last is what it says."""

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
            yield _line(number, start, position + len(first), head + first, first or last)
            number, start, head = number + 1, position + len(first) + 1, b""
            tail = rest.pop()
            for data in rest:
                end = start + len(data)
                yield _line(number, start, end, data, data)
                number, start = number + 1, end + 1
            head, last = _kept(tail), tail[-1:]
        else:
            head, last = _kept(head + first), first[-1:]
        position += len(block)
    if position > start:
        yield _line(number, start, position, head, last)


def _line(number: int, start: int, end: int, data: bytes, tail: bytes) -> LogLine:
    if tail.endswith(b"\r"):
        return LogLine(number, start, end - 1, _kept(data.removesuffix(b"\r") if len(data) == end - start else data))
    return LogLine(number, start, end, _kept(data))


def _kept(data: bytes) -> bytes:
    if len(data) <= LONGEST_LINE:
        return data
    drawn = data.rfind(b"\r", 0, len(data) - 1) + 1
    return data[drawn : drawn + LONGEST_LINE]
