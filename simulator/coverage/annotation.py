"""A source file with what was executed of it beside each line."""

from __future__ import annotations

import msgspec

from simulator.coverage.code_coverage import BlockOutcome
from simulator.coverage.file_coverage import FileCoverage, LineCount


class AnnotatedLine(msgspec.Struct, frozen=True, rename="camel"):
    """`count` is None for lines without code of their own. `marks` are Echidna's (`markers`). `missing` names outcomes
    of the line's conditions that were never seen: `if never true`; a condition that was never evaluated has none."""

    line: int
    text: str
    count: int | None
    marks: str
    missing: tuple[str, ...] = ()


class AnnotatedFile(msgspec.Struct, frozen=True, rename="camel"):
    """All lines of a file, and its figures."""

    path: str
    lines: tuple[AnnotatedLine, ...]
    lines_hit: int
    lines_found: int
    branches_hit: int
    branches_found: int


# Plain numbers: operations of `Flag` would be most of the time that a large file takes.
_MARKS = (
    (int(BlockOutcome.REVERT), "r"),
    (int(BlockOutcome.OUT_OF_GAS), "o"),
    (int(BlockOutcome.INVALID | BlockOutcome.OTHER), "e"),
)


def markers(line: LineCount | None) -> str:
    """`*` for an executed line; and how frames that ended on it came to their end: `r` revert, `o` out of gas, `e`
    another error. Empty for a line that did not run."""
    if line is None or line.count == 0:
        return ""
    return "*" + "".join(mark for mask, mark in _MARKS if line.outcomes & mask)


def annotate(file: FileCoverage) -> AnnotatedFile:
    """Every line of the file, from 1 on, without its line end."""
    lines = annotate_lines(file, 1, file.content.count("\n") + 1)
    return AnnotatedFile(file.path, lines, file.lines_hit, file.lines_found, file.branches_hit, file.branches_found)


def annotate_lines(file: FileCoverage, first: int, last: int) -> tuple[AnnotatedLine, ...]:
    """Lines `first` to `last`, both included, counted from 1; less where the file ends before."""
    counts = {line.line: line for line in file.lines if first <= line.line <= last}
    missing: dict[int, list[str]] = {}
    for branch in file.branches:
        if first <= branch.line <= last and branch.hit == 1:
            side = "false" if branch.counts[0] else "true"
            missing.setdefault(branch.line, []).append(f"{branch.kind} never {side}")
    return tuple(
        AnnotatedLine(
            number,
            text.removesuffix("\r"),
            counts[number].count if number in counts else None,
            markers(counts.get(number)),
            tuple(missing.get(number, ())),
        )
        for number, text in enumerate(file.content.split("\n")[first - 1 : last], first)
    )
