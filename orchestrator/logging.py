"""Log set-up: the program's log goes to stderr, as readable lines or as JSON.

On a terminal lines go through the console of the live view, which prints them above its picture.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import Any, Literal

import structlog

from orchestrator.streams import is_terminal, write_stderr
from simulator.printable import one_line

LogFormat = Literal["text", "json"]


def configure_logging(log_format: LogFormat = "text", *, debug: bool = False) -> None:
    """Set structlog up for this process: warnings and worse, with `debug` everything.

    Text carries colours only on a terminal and without NO_COLOR. One JSON object a line otherwise, with `event`,
    `level` and `timestamp` (UTC, ISO 8601).
    """
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(
            fmt="iso" if log_format == "json" else "%Y-%m-%d %H:%M:%S", utc=log_format == "json"
        ),
    ]
    if log_format == "json":
        # `json.dumps` writes ASCII alone, so that its lines need no care.
        processors += [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        # A plain traceback, as rich's prints the values of variables, which may be anything.
        formatter = structlog.dev.plain_traceback
        processors.append(_printable_values)
        processors.append(structlog.dev.ConsoleRenderer(colors=_colors(), exception_formatter=formatter))
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if debug else logging.WARNING),
        logger_factory=lambda *_: _LineLogger(_writer(log_format)),
        cache_logger_on_first_use=False,
    )


def _printable_values(_logger: Any, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Names and values as they may be shown, before the renderer paints them."""
    return {one_line(key): one_line(value) if isinstance(value, str) else value for key, value in event.items()}


def _colors() -> bool:
    return is_terminal(sys.stderr) and not os.environ.get("NO_COLOR")


def _writer(log_format: LogFormat) -> Callable[[str], None]:
    if log_format == "json" or not is_terminal(sys.stderr):
        return write_stderr
    return _write_above_live_view


def _write_above_live_view(line: str) -> None:
    # rich costs 0.1 s, which a run without a log line need not pay.
    from rich.text import Text

    from orchestrator.console import stderr_console

    stderr_console().print(Text.from_ansi(line), soft_wrap=True)


class _LineLogger:
    """The end of structlog's chain: every level writes the rendered line."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def msg(self, line: str) -> None:
        self._write(line)

    def __getattr__(self, name: str) -> Any:
        if name in ("debug", "info", "warning", "warn", "error", "critical", "exception", "fatal", "log"):
            return self.msg
        raise AttributeError(name)
