"""What calls covered: lines, and the arms of branches, by the counts of V8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from tools.analysis.syntax_tree import descendants, field
from tools.analysis.test_generator.sandbox import Outcome
from tools.analysis.test_generator.subject import Subject

Place = tuple[str, int, int]
"""("line", number, 0), ("arm", where its code starts, 0), or ("else", where a branch without else starts, its arm)."""


@dataclass(frozen=True, slots=True)
class Coverable:
    """Everything in the code that calls can cover, in UTF-16 offsets of the body."""

    lines: tuple[tuple[Place, int], ...]
    arms: tuple[Place, ...]


def coverable(subject: Subject) -> Coverable:
    """Lines that hold a statement, and arms: both sides of if and ?:, cases, right-hand sides of &&, || and ??."""
    offsets = _utf16_offsets(subject.body)
    lines: dict[int, int] = {}
    arms: list[Place] = []
    for node in descendants(subject.root):
        if node.is_named and (node.type.endswith(("_statement", "_declaration"))) and node.type != "empty_statement":
            lines.setdefault(node.start_point.row + 1, offsets[node.start_byte])
        arms.extend(_arms(node, offsets))
    return Coverable(tuple((("line", line, 0), at) for line, at in sorted(lines.items())), tuple(arms))


def covered(outcome: Outcome, everything: Coverable, subject: Subject) -> frozenset[Place]:
    """The places that this call reached."""
    counts = _Counts(outcome.coverage, subject.offset)
    lines = (place for place, at in everything.lines if counts.at(at) > 0)
    return frozenset((*lines, *(arm for arm in everything.arms if counts.reached(arm))))


def percent(reached: int, found: int) -> int:
    """Whole percent, rounded down so that 100 means all; 100 when there is nothing to cover."""
    return 100 * reached // found if found else 100


class _Counts:
    """Execution counts by offset in the body. V8's inner ranges overrule the outer ones around them."""

    def __init__(self, ranges: Sequence[tuple[int, int, int]], offset: int) -> None:
        # The expression stands behind an assignment in the file that V8 saw; its first range spans all of it.
        prefix = len("__sandbox.subject = ") + offset
        self._ranges = [(start - prefix, end - prefix, count) for start, end, count in ranges]

    def at(self, place: int) -> int:
        around = [(end - start, count) for start, end, count in self._ranges if start <= place < end]
        return min(around, key=lambda found: found[0])[1] if around else 0

    def reached(self, arm: Place) -> bool:
        kind, at, inner = arm
        return self.at(at) > (self.at(inner) if kind == "else" else 0)


def _arms(node: Node, offsets: Sequence[int]) -> list[Place]:
    match node.type:
        case "if_statement":
            body, other = field(node, "consequence"), field(node, "alternative")
            if body is None:
                return []
            start = offsets[body.start_byte]
            if other is None:
                return [("arm", start, 0), ("else", offsets[node.start_byte], start)]
            return [("arm", start, 0), ("arm", offsets[other.named_children[-1].start_byte], 0)]
        case "ternary_expression":
            sides = (field(node, "consequence"), field(node, "alternative"))
            return [("arm", offsets[side.start_byte], 0) for side in sides if side is not None]
        case "binary_expression" if any(child.type in ("&&", "||", "??") for child in node.children):
            right = field(node, "right")
            return [("arm", offsets[right.start_byte], 0)] if right is not None else []
        case "switch_case" | "switch_default":
            body = next((child for child in node.named_children if child != field(node, "value")), None)
            return [("arm", offsets[body.start_byte], 0)] if body is not None else []
        case _:
            return []


def _utf16_offsets(body: str) -> list[int]:
    """For each byte of the UTF-8 text, how many UTF-16 code units stand before its character."""
    offsets: list[int] = []
    units = 0
    for character in body:
        offsets.extend([units] * len(character.encode("utf-8", "surrogatepass")))
        units += 2 if ord(character) > 0xFFFF else 1
    return [*offsets, units]
