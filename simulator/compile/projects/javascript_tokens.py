"""Tokens of JavaScript and TypeScript, as far as a configuration's literals need them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

TokenKind = Literal["name", "number", "text", "template", "regex", "sign", "end"]

_PATTERN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|\A#![^\n]*)"
    r"|(?P<name>[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*)"
    r"|(?P<number>0[xX][0-9a-fA-F_]+n?|0[bB][01_]+n?|0[oO][0-7_]+n?"
    r"|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?n?)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<sign>\.\.\.|=>|===|!==|==|!=|<=|>=|\?\?=?|\?\.(?!\d)|&&|\|\||\*\*|\+\+|--|\+=|-=|.)",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_OPERAND_ENDS = frozenset((")", "]", "}"))
_KEYWORDS_BEFORE_OPERANDS = frozenset(("return", "typeof", "case", "in", "of", "new", "void", "delete", "default"))
MAX_NESTED_TEMPLATES = 16


class Token(msgspec.Struct, frozen=True):
    """`text` is what stands in the file; of a template, all between its backquotes. `is_first`: a line begins here."""

    kind: TokenKind
    text: str
    is_first: bool = False


END = Token("end", "")


def tokens_of(source: str) -> Iterator[Token]:
    """The tokens without blanks and comments. Never fails: a character of no token is a sign of its own."""
    position, is_first, before = 0, True, END
    while position < len(source):
        if source[position] == "`":
            end = _template_end(source, position)
            before = Token("template", source[position + 1 : end - 1], is_first)
            yield before
            position, is_first = end, False
            continue
        match = _PATTERN.match(source, position)
        assert match is not None  # the last alternative takes any character
        if match["sign"] == "/" and _expects_operand(before) and (regex := _REGEX.match(source, position)):
            before = Token("regex", regex[0], is_first)
            yield before
            position, is_first = regex.end(), False
            continue
        position = match.end()
        if match.lastgroup == "space":
            is_first = is_first or "\n" in match[0]
            continue
        before = Token(match.lastgroup or "sign", match[0], is_first)  # type: ignore[arg-type]
        yield before
        is_first = False


def _expects_operand(before: Token) -> bool:
    """Return whether a value comes next, so that a slash begins a regular expression."""
    if before.kind == "name":
        return before.text in _KEYWORDS_BEFORE_OPERANDS
    return before.kind == "end" or (before.kind == "sign" and before.text not in _OPERAND_ENDS)


def _template_end(source: str, start: int) -> int:
    """The position behind the closing backquote; the end of the file where there is none."""
    depths: list[int] = []
    position = start + 1
    while position < len(source):
        character = source[position]
        if character == "\\":
            position += 1
        elif character == "`" and not depths:
            return position + 1
        elif source.startswith("${", position) and len(depths) < MAX_NESTED_TEMPLATES:
            depths.append(1)
            position += 1
        elif depths and character == "{":
            depths[-1] += 1
        elif depths and character == "}":
            depths[-1] -= 1
            if not depths[-1]:
                depths.pop()
        position += 1
    return len(source)
