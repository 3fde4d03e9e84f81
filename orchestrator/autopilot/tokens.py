"""Solidity text as tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*(?:.*?\*/|.*))"
    r"|(?P<text>(?:unicode|hex)?\"(?:[^\"\\\n]|\\.)*\"|(?:unicode|hex)?'(?:[^'\\\n]|\\.)*')"
    r"|(?P<open>[\"'](?:[^\\\n]|\\.)*)"
    r"|(?P<number>0[xX][0-9a-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE]-?\d+)?)"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<sign>>>>=|>>>|<<=|>>=|\*\*|=>|==|!=|<=|>=|&&|\|\||\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|->|:=|.)",
    re.DOTALL,
)
_ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\", "'": b"'", '"': b'"', "0": b"\0"}


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is text, number, name, sign or end."""

    kind: str
    text: str
    line: int


def tokens_of(source: str) -> list[Token]:
    found: list[Token] = []
    line, position = 1, 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        assert match is not None, "any character is a sign"
        kind, text = match.lastgroup or "", match.group()
        if kind != "space":
            # A text without its end is no text. It is passed over as one, not letter by letter.
            found.append(Token("sign" if kind == "open" else kind, text, line))
        line += text.count("\n")
        position = match.end()
    found.append(Token("end", "", line))
    return found


def content_of(literal: str) -> bytes:
    """The bytes of a text literal."""
    prefix, _, rest = literal.partition(literal[-1])
    body = rest[:-1]
    if prefix == "hex":
        return bytes.fromhex(body.replace("_", ""))
    found = bytearray()
    position = 0
    while position < len(body):
        if body[position] != "\\":
            found += body[position].encode("utf-8", "replace")
            position += 1
        elif body[position + 1 : position + 2] == "x":
            found.append(int(body[position + 2 : position + 4], 16))
            position += 4
        else:
            found += _ESCAPES.get(body[position + 1 : position + 2], b"")
            position += 2
    return bytes(found)
