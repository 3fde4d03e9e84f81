"""Observations of workers for the health of a campaign, beside coverage and counts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from simulator.coverage.code_map import CodeMap

BELOW, EQUAL, ABOVE = 1, 2, 4
"""How the left operand of a comparison stood to the right one, as bits of `SeenOperands.relations`."""


class TestActivity(msgspec.Struct, frozen=True):
    """Activity of checking one property. Something that it reads was written `changes` times, by random sequences or
    by itself. `judged` calls of it had a verdict, `void` ones had none, because an assumption rejected them or an
    optimization gave no value. `reads` words it read at most; `volatile` when it depends on the block or on what is
    not tracked."""

    __test__ = False

    changes: int = 0
    judged: int = 0
    void: int = 0
    reads: int = 0
    volatile: bool = False

    def with_more(self, other: TestActivity) -> TestActivity:
        """Both together: of two processes."""
        return TestActivity(
            self.changes + other.changes,
            self.judged + other.judged,
            self.void + other.void,
            max(self.reads, other.reads),
            self.volatile or other.volatile,
        )


class SeenRevert(msgspec.Struct, frozen=True):
    """A way in which a call of a function ended. `function` is its index, `reason` the decoded reason, `place` is
    `file:line:column` or a program counter. `code` and `cell` tell the coverage cell that counts how often, -1 for
    none."""

    function: int
    reason: str
    place: str
    code: int
    cell: int


class SeenOperands(msgspec.Struct, frozen=True):
    """The operands of one comparison: least and greatest of each as words of 32 bytes, how often it was seen, and
    which `relations` of the operands, unsigned and `signed`."""

    code: int
    pc: int
    times: int
    left: tuple[bytes, bytes]
    right: tuple[bytes, bytes]
    relations: int
    signed: int


class RareCells(msgspec.Struct, frozen=True):
    """Cells of a code that random calls have hit twice at most: little-endian uint32 indexes, and a byte for each that
    says how often. Those that only other executions have hit are among them, with 0."""

    code: int
    cells: bytes
    hits: bytes


class FunctionRevert(msgspec.Struct, frozen=True):
    """A `SeenRevert` of the whole campaign. `times` is how often the place was passed, in whatever function."""

    function: int
    reason: str
    place: str
    times: int


class Observations(msgspec.Struct, frozen=True):
    """Everything that workers noted, over all of them. Tests by id. Comparisons are keyed by code and program counter.
    `growth` are (calls, features) of the worker with the most calls, at each growth, and `growth_calls` all its calls.
    `hits` counts the places that random calls hit once, twice, and at all. `sequences` were looked at; the notes on
    tests are of `calls` random calls."""

    tests: tuple[TestActivity, ...] = ()
    reverts: tuple[FunctionRevert, ...] = ()
    operands: dict[tuple[CodeMap, int], SeenOperands] = {}
    growth: tuple[tuple[int, int], ...] = ()
    growth_calls: int = 0
    hits: tuple[int, int, int] = (0, 0, 0)
    sequences: int = 0
    calls: int = 0


def join_operands(left: SeenOperands, right: SeenOperands) -> SeenOperands:
    """Both observations of one comparison together."""
    return SeenOperands(
        left.code,
        left.pc,
        left.times + right.times,
        (min(left.left[0], right.left[0]), max(left.left[1], right.left[1])),
        (min(left.right[0], right.right[0]), max(left.right[1], right.right[1])),
        left.relations | right.relations,
        left.signed | right.signed,
    )


def add_activities(left: Sequence[TestActivity], right: Sequence[TestActivity]) -> tuple[TestActivity, ...]:
    """Of two processes, test by test."""
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    joined = [each.with_more(other) for each, other in zip(longer, shorter, strict=False)]
    return (*joined, *longer[len(joined) :])
