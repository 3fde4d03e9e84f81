"""Branches that a developer wrote, told by the source text that a compiler gave to the jump.

Legacy code generation gives a jump the whole statement or expression (`if (...) ...`, `require(...)`, `a && b`,
`a ? b : c`); the IR pipeline gives a loop's jump its condition only. All other jumps are the compiler's own checks:
dispatch, calldata size, payable, overflow, array bounds, the success of an external call. The false side of `assert`
is the oracle's business and no branch either; `while (true)` has one side only.
"""

from __future__ import annotations

import re
from typing import Literal

BranchKind = Literal["if", "require", "loop", "ternary", "and", "or"]

_STATEMENT = re.compile(rb"(if|require|for|while|do)\b")
_ENDLESS = re.compile(rb"while\s*\(\s*true\s*\)")
_STATEMENT_KINDS: dict[bytes, BranchKind] = {b"if": "if", b"require": "require"}
_PIECE = re.compile(rb"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|&&|\|\||[=!<>]=|.""", re.DOTALL)
_OPERATORS: dict[bytes, BranchKind] = {b"&&": "and", b"||": "or", b"?": "ternary"}
_WEAKEST_FIRST = (b"?", b"||", b"&&")
_COMPARISON = frozenset((b"==", b"!=", b"<=", b">=", b"<", b">"))
_LOOP_BEFORE = re.compile(rb"\bwhile\s*\($")
_FOR_BEFORE = re.compile(rb"\bfor\s*\([^;{}]*;$")
_LOOKBACK = 400
_MAX_EXPRESSION_LENGTH = 4096


def branch_kind(content: bytes, start: int, end: int) -> BranchKind | None:
    """The kind of a conditional jump whose source is `content[start:end]`, None for the compiler's own."""
    text = content[start:end]
    if _ENDLESS.match(text):
        return None
    if match := _STATEMENT.match(text):
        return _STATEMENT_KINDS.get(match.group(1), "loop")
    if len(text) > _MAX_EXPRESSION_LENGTH:
        return None
    marks = _top_level_marks(text)
    if b"=" in marks or b";" in marks or text.startswith((b"return", b"emit")):
        return None
    for operator in _WEAKEST_FIRST:
        if operator in marks:
            return _OPERATORS[operator]
    if _is_plain_condition(text, marks) and _follows_loop_head(content, start):
        return "loop"
    return None


def _top_level_marks(text: bytes) -> set[bytes]:
    """Operators and other characters outside of brackets, comments and quotes."""
    marks: set[bytes] = set()
    depth = 0
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece in (b"(", b"[", b"{"):
            depth += 1
        elif piece in (b")", b"]", b"}"):
            depth -= 1
        elif depth == 0 and len(piece) <= 2:
            marks.add(piece)
    return marks


def _is_plain_condition(text: bytes, marks: set[bytes]) -> bool:
    """A comparison or a bare name: a call or an index has jumps of its own with the very same source."""
    return bool(marks & _COMPARISON) or not text.endswith((b")", b"]"))


def _follows_loop_head(content: bytes, start: int) -> bool:
    before = content[max(start - _LOOKBACK, 0) : start].rstrip()
    return bool(_LOOP_BEFORE.search(before) or _FOR_BEFORE.search(before))
