"""Terminal colours, when they are asked for."""

from __future__ import annotations

from typing import Literal

Style = Literal["bold", "dim", "red", "green", "yellow", "cyan"]

_CODES: dict[Style, str] = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class Paint:
    """Wraps text in SGR codes, or leaves it alone."""

    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, text: str, *styles: Style) -> str:
        if not self._color or not text or not styles:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"
