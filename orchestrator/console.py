"""The one rich console on stderr: whatever shares it with the live view is printed above the picture, not across it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from orchestrator.streams import GuardedStream
from simulator.printable import printable


class PrintableConsole(Console):
    """A console on which text cannot control the terminal: only rich itself moves the cursor and sets colours."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of a renderable, their text made printable. Cursor movements are segments of their own kind."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


@cache
def stderr_console() -> Console:
    """The process's console on stderr. rich honours NO_COLOR, TERM and the terminal's size."""
    stream = sys.stderr
    file = stream.plain if isinstance(stream, GuardedStream) else None
    return PrintableConsole(file=file, stderr=True, highlight=False, markup=False, emoji=False)
