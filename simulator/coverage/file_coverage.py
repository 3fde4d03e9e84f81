"""Coverage of source files: lines, branches, functions and how often each was executed."""

from __future__ import annotations

import msgspec

from simulator.coverage.branch_kinds import BranchKind


class LineCount(msgspec.Struct, frozen=True):
    """An executable line. `outcomes` is a mask of `Outcome`s of frames that ended on it; `contract` is empty at file
    level."""

    line: int
    count: int
    contract: str
    outcomes: int = 0


class BranchCount(msgspec.Struct, frozen=True):
    """A branch point: how often its condition was true and how often false."""

    line: int
    kind: BranchKind
    contract: str
    counts: tuple[int, int]

    @property
    def reached(self) -> bool:
        return any(self.counts)

    @property
    def hit(self) -> int:
        """Sides seen, 0..2."""
        return sum(count > 0 for count in self.counts)


class FunctionCount(msgspec.Struct, frozen=True):
    """A function or modifier and how often its body was entered. `name` is unique in the file."""

    line: int
    end_line: int
    name: str
    count: int


class FileCoverage(msgspec.Struct, frozen=True):
    """Coverage of one source file; all parts ordered by line."""

    path: str
    content: str
    lines: tuple[LineCount, ...] = ()
    branches: tuple[BranchCount, ...] = ()
    functions: tuple[FunctionCount, ...] = ()

    @property
    def lines_found(self) -> int:
        return len(self.lines)

    @property
    def lines_hit(self) -> int:
        return sum(line.count > 0 for line in self.lines)

    @property
    def branches_found(self) -> int:
        """Sides: two for each branch point."""
        return 2 * len(self.branches)

    @property
    def branches_hit(self) -> int:
        return sum(branch.hit for branch in self.branches)
