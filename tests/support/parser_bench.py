"""Parsers without processes: bytes in, what was found out."""

from __future__ import annotations

import io
from pathlib import Path

from actors.processes.log_lines import log_lines
from tools.builds.diagnostics import Parsed
from tools.builds.plugin import Output, Plugin
from tools.builds.text import texts

OUTPUTS = Path(__file__).parents[1] / "tools" / "builds" / "outputs"


def parsed(
    plugin: Plugin, log: bytes, *, stdout: bytes | None = None, exit_code: int = 1, folder: Path = Path("/work/app")
) -> Parsed:
    """Findings of the plugin in a log; `stdout` is the log where nothing else is said and the plugin separates it."""
    alone = (log if stdout is None else stdout) if plugin.separate else b""
    lines = lambda: texts(log_lines(io.BytesIO(log), 1, 0, len(log)))  # noqa: E731
    return plugin.parse(Output(lines, alone, exit_code, folder))


def recorded(plugin: Plugin, name: str, **more: int) -> Parsed:
    """The same for output that was recorded from the real program."""
    return parsed(plugin, (OUTPUTS / name).read_bytes(), **more)  # type: ignore[arg-type]
