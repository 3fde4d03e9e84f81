"""Which side of a conditional jump means that the condition held.

Legacy code generation has a fixed habit for each kind of branch; optimizers and the IR pipeline turn jumps around. So
the source ranges of the code on both sides are asked first, and the habit only where they tell nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator.coverage.branch_kinds import BranchKind
from simulator.coverage.branch_text import BranchParts, branch_parts
from simulator.coverage.source_map import SourceRange

_JUMPI, _JUMPDEST, _REVERT, _PUSH0, _PUSH32 = 0x57, 0x5B, 0xFD, 0x5F, 0x7F
_TERMINATORS = frozenset((0x00, 0x56, 0xF3, 0xFD, 0xFE, 0xFF))
_LOOK_AHEAD = 64
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

    def jumps_when_true(self, pc: int, source_range: SourceRange, content: bytes, kind: BranchKind) -> bool:
        """Whether the JUMPI at `pc` jumps when the condition of its branch holds."""
        index = self._index[pc]
        target = self._target(index)
        if kind == "require":
            verdict = _by_revert(self._reverts(index + 1), self._reverts(target))
        else:
            through, jump = self._path(index + 1), self._path(target)
            parts = branch_parts(content, source_range.start, source_range.end, kind)
            verdict = _by_source(parts, self._ranges(through, source_range), self._ranges(jump, source_range))
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

    def _path(self, index: int) -> list[int]:
        """Indexes of the instructions from here on while nothing can come in from elsewhere, checks passed."""
        block: list[int] = []
        for position in range(index, min(index + _LOOK_AHEAD, len(self._aligned))):
            opcode = self._code[self._aligned[position][0]]
            if opcode == _JUMPDEST and block:
                break
            block.append(position)
            if opcode in _TERMINATORS:
                break
        return block

    def _reverts(self, index: int) -> bool:
        """Whether the single block that starts here ends in REVERT."""
        for position in self._path(index):
            opcode = self._code[self._aligned[position][0]]
            if opcode in (_REVERT, _JUMPI):
                return opcode == _REVERT
        return False

    def _ranges(self, block: list[int], like: SourceRange) -> list[SourceRange]:
        return [self._aligned[index][1] for index in block if self._aligned[index][1].file == like.file]


def _by_revert(through: bool, jump: bool) -> bool | None:
    return None if through == jump else through


def _by_source(parts: BranchParts, through: list[SourceRange], jump: list[SourceRange]) -> bool | None:
    """The first range that belongs to one side decides; None when nothing does or the sides contradict."""
    through_true, jump_true = _first_truth(parts, through), _first_truth(parts, jump)
    if jump_true is not None and jump_true == through_true:
        return None
    if jump_true is not None:
        return jump_true
    return None if through_true is None else not through_true


def _first_truth(parts: BranchParts, ranges: list[SourceRange]) -> bool | None:
    """What the first telling range of a block says about the condition: it held, or not."""
    for source_range in ranges:
        if _within(source_range, parts.true):
            return True
        if _within(source_range, parts.false):
            return False
        if source_range.start >= parts.whole[1] or source_range.end <= parts.whole[0]:
            return parts.outside
    return None


def _within(source_range: SourceRange, part: tuple[int, int]) -> bool:
    return part[0] <= source_range.start and source_range.end <= part[1] and part[0] < part[1]
