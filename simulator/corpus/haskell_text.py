r"""Byte strings as Haskell's `show` writes them (Haskell 2010 Report, section 2.6), the form inside Echidna's JSON.

`show (pack "\SO" <> "H1\200\&7")` is `"\SO\&H1\200\&7"`: named escapes for control characters, decimal ones above DEL,
and `\&` where the next character would be read as part of the escape.
"""

from __future__ import annotations

import re

from simulator.errors import CorpusError

# fmt: off
_NAMES = [
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "a", "b", "t", "n", "v", "f", "r", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
]
# fmt: on
_WRITTEN = [f"\\{name}" for name in _NAMES] + [chr(code) for code in range(0x20, 0x7F)] + ["\\DEL"]
_WRITTEN += [f"\\{code}" for code in range(0x80, 0x100)]
_WRITTEN[ord('"')] = '\\"'
_WRITTEN[ord("\\")] = "\\\\"

_LONG_NAMES = {7: "BEL", 8: "BS", 9: "HT", 10: "LF", 11: "VT", 12: "FF", 13: "CR", 32: "SP", 127: "DEL"}
_READ = {name: code for code, name in enumerate(_NAMES)} | {name: code for code, name in _LONG_NAMES.items()}
_READ |= {'"': 0x22, "'": 0x27, "\\": 0x5C}
# Longest first: `\SOH` is one character, not `\SO` and `H`.
_NAMED = "|".join(re.escape(name) for name in sorted(_READ, key=len, reverse=True))
_ESCAPE = re.compile(
    rf"\\(?:(?P<name>{_NAMED})|(?P<decimal>[0-9]+)|[xX](?P<hex>[0-9a-fA-F]+)|[oO](?P<octal>[0-7]+)"
    r"|\^(?P<control>[@-_])|&|\s+\\)"
)
_BASES = {"decimal": 10, "hex": 16, "octal": 8}
MAX_DIGITS = 3
_PLAIN = re.compile(r'[^"\\\x00-\x1f\x7f]+')


def show_bytes(data: bytes) -> str:
    """The Haskell literal of `data`, quotes included, as GHC's `show` writes it."""
    parts: list[str] = []
    previous = -1
    for byte in data:
        if (previous >= 0x80 and 0x30 <= byte <= 0x39) or (previous == 0x0E and byte == 0x48):
            parts.append("\\&")
        parts.append(_WRITTEN[byte])
        previous = byte
    return f'"{"".join(parts)}"'


def read_bytes(text: str) -> bytes:
    r"""The bytes of a Haskell string literal, quotes included.

    All escapes of the language are read: named, decimal, `\x`, `\o`, `\^A`, `\&` and string gaps. Raises `CorpusError`
    with the position for anything else, and for a character above `\255`.
    """
    literal = text.strip()
    if len(literal) < 2 or literal[0] != '"':
        raise CorpusError("a Haskell string must begin and end with a double quote")
    result = bytearray()
    position = 1
    while position < len(literal) and literal[position] != '"':
        position = _read_piece(literal, position, result)
    if position != len(literal) - 1:
        raise CorpusError(f"the Haskell string must end at its closing quote, position {position} of {len(literal)}")
    return bytes(result)


def _read_piece(literal: str, position: int, result: bytearray) -> int:
    if plain := _PLAIN.match(literal, position):
        try:
            result += plain.group().encode("latin-1")
        except UnicodeEncodeError as error:
            raise CorpusError(f"character above \\255 at position {position + error.start}") from None
        return plain.end()
    escape = _ESCAPE.match(literal, position)
    if escape is None:
        raise CorpusError(f"no escape of a Haskell string at position {position}: {literal[position : position + 6]!r}")
    if escape.lastgroup is not None:  # `\&` and gaps stand for no character
        result.append(_code(escape.lastgroup, escape.group(escape.lastgroup), position))
    return escape.end()


def _code(kind: str, text: str, position: int) -> int:
    if kind == "name":
        return _READ[text]
    if kind == "control":
        return ord(text) - 0x40
    digits = text.lstrip("0") or "0"
    code = int(digits, _BASES[kind]) if len(digits) <= MAX_DIGITS else 0x100
    if code > 0xFF:
        raise CorpusError(f"character above \\255 at position {position}")
    return code
