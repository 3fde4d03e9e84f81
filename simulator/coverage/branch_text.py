"""The parts of a branching statement or expression in the source: where it goes when its condition is true or false."""

from __future__ import annotations

import re
from dataclasses import dataclass

from simulator.coverage.branch_kinds import BranchKind

_PIECE = re.compile(rb"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|&&|\|\||.""", re.DOTALL)
_OPEN, _CLOSE = (b"(", b"[", b"{"), (b")", b"]", b"}")
_HEAD = re.compile(rb"(if|for|while)\s*\(")
_DO = re.compile(rb"do\b")
_KEYWORD = re.compile(rb"(if|for|switch)\b")
_MAX_STATEMENT_LENGTH = 100_000


@dataclass(frozen=True, slots=True)
class BranchParts:
    """Byte ranges (start, end) that are executed only when the condition is true, and only when it is false. Either
    may be empty, and then proves nothing. `outside` is the truth that leads to code outside of `whole` with nothing of
    the branch in between, None when both do."""

    whole: tuple[int, int]
    true: tuple[int, int] = (0, 0)
    false: tuple[int, int] = (0, 0)
    outside: bool | None = None


def branch_parts(content: bytes, start: int, end: int, kind: BranchKind) -> BranchParts:
    """Split the source of a branch; a loop's bare condition is taken together with the body behind it."""
    match kind:
        case "ternary":
            return _ternary(content, start, end)
        case "and" | "or":
            return _logical(content, start, end, kind)
        case "if" | "loop":
            return _statement(content, start, end)
        case _:
            return BranchParts((start, end))


def _logical(content: bytes, start: int, end: int, kind: BranchKind) -> BranchParts:
    """The condition is the left operand; the right one is evaluated when `&&` finds true, `||` finds false."""
    position = _last_mark(content, start, end, b"&&" if kind == "and" else b"||")
    right = (position, end) if position else (0, 0)
    if kind == "and":
        return BranchParts((start, end), true=right, outside=False)
    return BranchParts((start, end), false=right, outside=True)


def _statement(content: bytes, start: int, end: int) -> BranchParts:
    """A whole statement of Solidity with the body its condition guards; one of assembly proves nothing."""
    if _DO.match(content, start):
        return BranchParts((start, end), true=(start, _statement_end(content, start + 2)), outside=False)
    if head := _HEAD.match(content, start):
        closing = _closing(content, head.end() - 1, 0)
        body_end = _statement_end(content, closing)
        return BranchParts((start, end), true=(closing, body_end), false=(body_end, end), outside=False)
    if _KEYWORD.match(content, start):
        return BranchParts((start, end))
    return _bare_condition(content, start, end)


def _bare_condition(content: bytes, start: int, end: int) -> BranchParts:
    """A loop's condition: its body stands behind the closing bracket, or before the `while` of a do loop."""
    closing = _closing(content, end, 1)
    body_end = _statement_end(content, closing)
    if content[closing:body_end].strip() == b";":
        return BranchParts((0, body_end), true=(0, start), outside=False)
    return BranchParts((start, body_end), true=(closing, body_end), outside=False)


def _closing(content: bytes, position: int, depth: int) -> int:
    """Behind the bracket that brings the depth back to zero."""
    for match in _PIECE.finditer(content, position, position + _MAX_STATEMENT_LENGTH):
        if match.group() in _OPEN:
            depth += 1
        elif match.group() in _CLOSE:
            depth -= 1
            if depth == 0:
                return match.end()
    return len(content)


def _statement_end(content: bytes, position: int) -> int:
    """Behind the statement that starts here: a block, or everything to its semicolon."""
    depth = 0
    for match in _PIECE.finditer(content, position, position + _MAX_STATEMENT_LENGTH):
        piece = match.group()
        if piece in _OPEN:
            depth += 1
        elif piece in _CLOSE:
            depth -= 1
            if piece == b"}" and depth <= 0:
                return match.end()
        elif piece == b";" and depth == 0:
            return match.end()
    return len(content)


def _ternary(content: bytes, start: int, end: int) -> BranchParts:
    depth, nested, question = 0, 0, 0
    for match in _PIECE.finditer(content, start, end):
        piece = match.group()
        if piece in _OPEN or piece in _CLOSE:
            depth += 1 if piece in _OPEN else -1
        elif depth == 0 and piece == b"?":
            question = question or match.end()
            nested += 1
        elif depth == 0 and piece == b":":
            nested -= 1
            if nested == 0:
                return BranchParts((start, end), true=(question, match.start()), false=(match.end(), end))
    return BranchParts((start, end))


def _last_mark(content: bytes, start: int, end: int, mark: bytes) -> int:
    """Behind the last such operator outside of brackets; 0 without one."""
    depth, found = 0, 0
    for match in _PIECE.finditer(content, start, end):
        piece = match.group()
        if piece in _OPEN:
            depth += 1
        elif piece in _CLOSE:
            depth -= 1
        elif depth == 0 and piece == mark:
            found = match.end()
    return found
