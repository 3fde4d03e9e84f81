"""Terminal colours, when they are asked for."""

from __future__ import annotations

from typing import Literal

from rich.color import ColorSystem
from rich.style import Style as RichStyle

Style = Literal["bold", "dim", "red", "green", "yellow", "cyan"]


class Paint:
    """Wraps text in SGR codes, or leaves it alone."""

    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, text: str, *styles: Style) -> str:
        if not self._color or not text or not styles:
            return text
        return RichStyle.parse(" ".join(styles)).render(text, color_system=ColorSystem.STANDARD)
