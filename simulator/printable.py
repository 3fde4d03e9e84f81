"""Text of projects, contracts, files and users as it may be shown, stored and sent.

Names and texts from outside may hold anything: control characters that move a terminal's cursor, characters that
reorder or hide what stands beside them, and bytes that are not UTF-8, which Python keeps as lone surrogates. Each such
character is shown as an escape: `\\x1b`, `\\u202e`, and `\\xff` for the byte of a name. Letters of all scripts stay.
The result is for reading: a backslash of the text itself is not doubled.
"""

from __future__ import annotations

import os
import re

# Everything else in ASCII needs no look. A carriage return is harmless only before a line feed.
_SUSPECT = re.compile(r"[^\n\t\r -~]+|\r(?!\n)")
_SUSPECT_IN_LINE = re.compile(r"[^ -~]+")
_SURROGATES = re.compile(r"[\ud800-\udfff]+")
_COLORS = re.compile(r"(\x1b\[(?:[0-9]{1,3}(?:;[0-9]{1,3}){0,4})?m)")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """Text of several lines: line ends and tabs stay, all else that is not printable is escaped."""
    return text if text.isprintable() else _SUSPECT.sub(_escape_run, text)


def one_line(text: str) -> str:
    """Text that stays on its line: as `printable`, with line ends and tabs escaped too."""
    return text if text.isprintable() else _SUSPECT_IN_LINE.sub(_escape_run, text)


def shown_path(path: str | os.PathLike[str]) -> str:
    """A path as text, on one line."""
    return one_line(os.fspath(path))


def printable_colored(text: str) -> str:
    """As `printable` for text that the program has painted: colours and weights of ECMA-48 stay."""
    parts = _COLORS.split(text)
    return "".join(part if index % 2 else printable(part) for index, part in enumerate(parts))


def printable_json(text: str) -> str:
    """A JSON document with each character that is not printable as JSON's own escape; its value is the same, except
    that lone surrogates, which UTF-8 cannot hold, come out as text."""
    return text if text.isprintable() else _SUSPECT.sub(_escape_json_run, encodable(text, in_json=True))


def is_safe(text: str) -> bool:
    """Return whether `printable` would leave this text as it is."""
    return printable(text) == text


def encodable(text: str, *, in_json: bool = False) -> str:
    """Text that UTF-8 can hold: only lone surrogates are escaped. In a JSON document the backslash is doubled."""
    if text.isascii():
        return text
    slash = "\\" if in_json else ""
    return _SURROGATES.sub(lambda run: "".join(slash + _escaped(each) for each in run[0]), text)


def is_encodable(text: str) -> bool:
    """Return whether UTF-8 can hold this text."""
    return encodable(text) == text


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters; an ellipsis stands for what is cut off."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _escape_run(run: re.Match[str]) -> str:
    return "".join(character if _is_shown(character) else _escaped(character) for character in run[0])


def _escape_json_run(run: re.Match[str]) -> str:
    return "".join(character if _is_shown(character) else _json_escaped(character) for character in run[0])


def _is_shown(character: str) -> bool:
    # `isprintable` refuses the spaces of other scripts, which do no harm.
    return character.isprintable() or (character.isspace() and character in _SPACES)


_SPACES = frozenset("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return _NAMED.get(character) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[start]:02x}{units[start + 1]:02x}" for start in range(0, len(units), 2))
