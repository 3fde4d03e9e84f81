"""Lines of sources as ranges in a text: `3-5,9`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from orchestrator.report.model import SourceLines
from simulator.coverage.file_coverage import FileCoverage

MAX_LINE = 1_000_000
"""No source has more lines; a made-up report cannot fill the memory."""


def source_lines(files: Iterable[FileCoverage]) -> tuple[SourceLines, ...]:
    """Return the lines of each file that ran, and those that never did."""
    return tuple(
        SourceLines(
            file.path,
            hashlib.sha256(file.content.encode("utf-8", "surrogatepass")).hexdigest()[:32],
            as_ranges(line.line for line in file.lines if line.count),
            as_ranges(line.line for line in file.lines if not line.count),
        )
        for file in files
    )


def as_ranges(lines: Iterable[int]) -> str:
    """The lines in order, neighbours joined."""
    runs: list[list[int]] = []
    for line in sorted(set(lines)):
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def from_ranges(text: str) -> frozenset[int]:
    """The lines of such a text. Raises `ValueError` for another."""
    lines: set[int] = set()
    for run in filter(None, text.split(",")):
        first, _, last = run.partition("-")
        begin, end = int(first), int(last or first)
        if not 1 <= begin <= end <= MAX_LINE:
            raise ValueError(f"{run}: not a range of lines")
        lines.update(range(begin, end + 1))
    return frozenset(lines)
