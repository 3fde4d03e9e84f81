"""A streaming parser of LCOV tracefiles, any tool's: what `geninfo` describes, and what other tools make of it.

Read are SF, DA (with or without checksum), LF, LH and end_of_record; all other records are passed over. A source file
may occur in many records, as shards and test names have it, and a line many times: a line is hit if it is anywhere.
Where a file has DA records its LF and LH do not count, as they only sum up. The last end_of_record may be missing;
lines may end in CRLF; blank lines are fine. Line numbers are from 1 and hit counts from 0; anything else is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy

from tools.coverage.report import LineReport, Lines

CHUNK = 1 << 17
MAX_LINE_LENGTH = 1 << 16
WORTHWHILE = 512
MAX_FILES = 1_000_000
LAST_LINE = 2**32 - 1
NEWLINE = b"\n"
_MARK = re.compile(rb"^(?:SF:([^\n]*)|(end_of_record)[ \t\r]*)$", re.MULTILINE)
_DATA = re.compile(rb"^DA:([0-9]{1,10}),([0-9]+)(?:,[^\n]*)?[ \t\r]*$", re.MULTILINE)
_DATA_START = re.compile(rb"^DA:", re.MULTILINE)
_SUMMARY = re.compile(rb"^L([FH]):([0-9]{1,18})[ \t\r]*$", re.MULTILINE)

_Lines = numpy.ndarray[Any, Any]
_Records = tuple[_Lines, _Lines]


class LcovError(Exception):
    """The text is no LCOV; the message says where and why."""


@dataclass(slots=True)
class _File:
    """Lines of long runs of records are in arrays, those of short ones in a table of line to whether it is hit."""

    found: list[_Lines] = field(default_factory=list)
    hit: list[_Lines] = field(default_factory=list)
    few: dict[int, bool] = field(default_factory=dict)
    lines_found: int = 0
    lines_hit: int = 0

    def lines(self) -> Lines:
        if self.found:
            hit = [line for line, is_hit in self.few.items() if is_hit]
            return Lines(_distinct(self.hit, hit), _distinct(self.found, list(self.few)))
        if self.few:
            return Lines(sum(self.few.values()), len(self.few))
        return Lines(min(self.lines_hit, self.lines_found), self.lines_found)


def parse_lcov(stream: BinaryIO) -> LineReport:
    """Read a whole file, in pieces that never hold Python's lock for long. Raises `LcovError`, and `OSError` of the
    stream. An empty file, as a campaign writes that has just begun, is a report without files."""
    parser = _Parser()
    pending = b""
    while chunk := stream.read(CHUNK):
        chunk = pending + chunk
        cut = chunk.rfind(b"\n") + 1
        parser.feed(chunk[:cut])
        pending = chunk[cut:]
        if len(pending) > MAX_LINE_LENGTH:
            raise LcovError(f"line {parser.line_number} is longer than {MAX_LINE_LENGTH} bytes")
    parser.feed(pending)
    return parser.finish()


class _Parser:
    """Fed with pieces that end at line ends."""

    def __init__(self) -> None:
        self.line_number = 1
        self._files: dict[str, _File] = {}
        self._file: _File | None = None
        self._anything = False

    def feed(self, chunk: bytes) -> None:
        """Marks are few: between them the records of one file are read at once."""
        self._anything = self._anything or bool(chunk)
        position = 0
        for mark in _MARK.finditer(chunk):
            self._read(chunk, position, mark.start())
            position = mark.end()
            self._file = self._begin(mark.group(1), chunk, mark.start()) if mark.group(2) is None else None
        self._read(chunk, position, len(chunk))
        self.line_number += chunk.count(b"\n")

    def finish(self) -> LineReport:
        if not self._files and self._anything:
            raise LcovError("no coverage records found")
        return LineReport({path: file.lines() for path, file in self._files.items()})

    def _begin(self, name: bytes, chunk: bytes, position: int) -> _File:
        path = name.decode("utf-8", "replace").strip()
        if not path or "\0" in path:
            raise self._error(chunk, position, "SF without a path")
        if len(self._files) >= MAX_FILES:
            raise LcovError(f"more than {MAX_FILES} files")
        return self._files.setdefault(path, _File())

    def _read(self, chunk: bytes, start: int, end: int) -> None:
        """The records between two marks."""
        first = start if chunk.startswith(b"DA:", start) else chunk.find(b"\nDA:", start, end) + 1
        if chunk.startswith(b"DA:", first) and start <= first < end:
            last = chunk.find(b"\n", max(first, chunk.rfind(b"\nDA:", first, end) + 1), end)
            self._read_lines(chunk, first, end if last < 0 else last + 1)
        file = self._file
        if file is not None and (chunk.find(b"LF:", start, end) >= 0 or chunk.find(b"LH:", start, end) >= 0):
            for summary in _SUMMARY.finditer(chunk, start, end):
                if summary.group(1) == b"F":
                    file.lines_found = max(file.lines_found, int(summary.group(2)))
                else:
                    file.lines_hit = max(file.lines_hit, int(summary.group(2)))

    def _read_lines(self, chunk: bytes, start: int, end: int) -> None:
        if self._file is None:
            raise self._first_bad(chunk, start, end)
        records = _plain_records(chunk[start:end]) if end - start >= WORTHWHILE else None
        if records is None:
            self._read_any(self._file, chunk, start, end)
            return
        lines, are_hit = records
        if not 1 <= lines.min() <= lines.max() <= LAST_LINE:
            raise self._error(chunk, start, f"a line number near here is not in 1..{LAST_LINE}")
        self._file.found.append(lines.astype(numpy.uint32))
        self._file.hit.append(lines[are_hit].astype(numpy.uint32))

    def _read_any(self, file: _File, chunk: bytes, start: int, end: int) -> None:
        records = _DATA.findall(chunk, start, end)
        if len(records) != len(_DATA_START.findall(chunk, start, end)):
            raise self._first_bad(chunk, start, end)
        few = file.few
        for text, hits in records:
            line = int(text)
            if not 1 <= line <= LAST_LINE:
                raise self._error(chunk, start, f"a line number near here is not in 1..{LAST_LINE}")
            few[line] = bool(hits.strip(b"0")) or few.get(line, False)

    def _first_bad(self, chunk: bytes, start: int, end: int) -> LcovError:
        for match in _DATA_START.finditer(chunk, start, end):
            if self._file is None:
                return self._error(chunk, match.start(), "DA before any SF")
            if _DATA.match(chunk, match.start()) is None:
                line = chunk[match.start() :].split(b"\n", 1)[0][:60].decode("ascii", "replace").strip()
                return self._error(chunk, match.start(), f"expected DA:line,hits, found {line}")
        return self._error(chunk, start, "invalid format")

    def _error(self, chunk: bytes, position: int, reason: str) -> LcovError:
        return LcovError(f"line {self.line_number + chunk.count(NEWLINE, 0, position)}: {reason}")


def _plain_records(block: bytes) -> _Records | None:
    """Lines and whether they are hit, of a block of nothing but `DA:line,hits` lines, twenty times faster than line by
    line; None for any other block. Floating point holds every line number and distinguishes any hit count from 0."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if not block.endswith(b"\n"):
        block += b"\n"
    count = block.count(b"\n")
    is_plain = (
        block.translate(None, b"0123456789") == b"DA:,\n" * count
        and block.count(b"\nDA:") == count - 1
        and b":," not in block
        and b",\n" not in block
    )
    if not is_plain:
        return None
    numbers = numpy.fromstring(block.replace(b"DA:", b"").replace(b"\n", b","), dtype=numpy.float64, sep=",")
    return numbers[0::2], numbers[1::2] > 0


def _distinct(runs: list[_Lines], few: list[int]) -> int:
    return len(numpy.unique(numpy.concatenate([*runs, numpy.array(few, dtype=numpy.uint32)])))
