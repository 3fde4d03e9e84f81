"""Output of commands as text: without colours and cursor movements, whatever bytes it is made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from actors.processes.log_lines import LogLine

MAX_TEXT_LENGTH = 4_096
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\|$)|[PX^_][^\x1b]{0,4096}(?:\x1b\\|$)|[ -/]*[0-~])"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain(text: str) -> str:
    """Text without ANSI sequences and control characters; tabs stay. A line that a carriage return rewrites is what
    was written last."""
    if text.isprintable():
        return text
    if "\r" in text:
        text = text[text.rstrip("\r").rfind("\r") + 1 :]
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    return _CONTROL.sub("", text)


def text_of(line: LogLine) -> str:
    """A line as text, at most 4,096 characters; bytes that are no UTF-8 become U+FFFD."""
    return plain(line.data.decode("utf-8", errors="replace"))[:MAX_TEXT_LENGTH]


def texts(lines: Iterable[LogLine]) -> Iterator[tuple[LogLine, str]]:
    """Lines with their text."""
    for line in lines:
        yield line, text_of(line)
