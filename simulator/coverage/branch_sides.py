"""Side of a conditional jump on which the condition held.

Legacy code generation has a fixed habit for each kind of branch; optimizers and the IR pipeline turn jumps around. So
the source ranges of the code on both sides are asked first, and the habit only where they tell nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simulator.coverage.branch_kinds import BranchKind
from simulator.coverage.branch_text import BranchParts, branch_parts
from simulator.coverage.declarations import FunctionDeclaration
from simulator.coverage.source_map import SourceRange

_JUMPI, _JUMPDEST, _REVERT, _PUSH0, _PUSH32 = 0x57, 0x5B, 0xFD, 0x5F, 0x7F
_TERMINATORS = frozenset((0x00, 0x56, 0xF3, 0xFD, 0xFE, 0xFF))
_LOOK_AHEAD = 40
_JUMPS_WHEN_TRUE: dict[BranchKind, bool] = {
    "if": False,
    "loop": False,
    "and": False,
    "or": True,
    "ternary": True,
    "require": True,
}


class SideFinder:
    """Answers for the jumps of one code, given its instructions with their ranges."""

    def __init__(self, code: bytes, aligned: Sequence[tuple[int, SourceRange]]) -> None:
        self._code = code
        self._aligned = aligned
        self._index = {pc: index for index, (pc, _) in enumerate(aligned)}

    def jumps_when_true(
        self, pc: int, source_range: SourceRange, kind: BranchKind, content: bytes, function: FunctionDeclaration
    ) -> bool:
        """Return whether the JUMPI at `pc` jumps when the condition of its branch, which stands in `function`,
        holds."""
        index = self._index[pc]
        target = self._target(index)
        if kind == "require":
            verdict = _by_revert(self._reverts(index + 1), self._reverts(target))
        else:
            parts = branch_parts(content, source_range.start, source_range.end, kind)
            through = self._truth(parts, index + 1, source_range.file, function)
            verdict = _by_truth(through, self._truth(parts, target, source_range.file, function))
        return _JUMPS_WHEN_TRUE[kind] if verdict is None else verdict

    def _target(self, index: int) -> int:
        """Index of the jump's destination, when a PUSH right before it says so; else behind the end."""
        if index == 0:
            return len(self._aligned)
        pc, _ = self._aligned[index - 1]
        opcode = self._code[pc]
        if not _PUSH0 <= opcode <= _PUSH32:
            return len(self._aligned)
        target = int.from_bytes(self._code[pc + 1 : pc + 1 + opcode - _PUSH0], "big")
        return self._index.get(target, len(self._aligned))

    def _path(self, index: int) -> Iterator[int]:
        """Indexes of the instructions from here on in a straight line, all checks passed."""
        for position in range(index, min(index + _LOOK_AHEAD, len(self._aligned))):
            yield position
            if self._code[self._aligned[position][0]] in _TERMINATORS:
                return

    def _reverts(self, index: int) -> bool:
        """Return whether the single block that starts here ends in REVERT."""
        for position in self._path(index):
            opcode = self._code[self._aligned[position][0]]
            if opcode in (_REVERT, _JUMPI):
                return opcode == _REVERT
        return False

    def _truth(self, parts: BranchParts, index: int, file: int, function: FunctionDeclaration) -> bool | None:
        """Return what the first telling instruction from here on says about the condition: it held, or not.

        Optimizers merge labels, which then tell nothing, and constants, which tell something only from within; and
        inlined code of other functions tells nothing.
        """
        for position in self._path(index):
            pc, found = self._aligned[position]
            opcode = self._code[pc]
            if found.file != file or opcode == _JUMPDEST:
                continue
            if _within(found, parts.true):
                return True
            if _within(found, parts.false):
                return False
            is_outside = found.start >= parts.whole[1] or found.end <= parts.whole[0]
            if is_outside and function.has_statement(found.start, found.end) and not _PUSH0 <= opcode <= _PUSH32:
                return parts.outside
        return None


def _by_revert(through: bool, jump: bool) -> bool | None:
    return None if through == jump else through


def _by_truth(through: bool | None, jump: bool | None) -> bool | None:
    """Return whether the jump is the true side; None when nothing tells or both sides tell the same."""
    if jump == through:
        return None
    return jump if jump is not None else not through


def _within(source_range: SourceRange, part: tuple[int, int]) -> bool:
    return part[0] <= source_range.start and source_range.end <= part[1] and part[0] < part[1]
