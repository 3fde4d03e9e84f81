"""Log messages of the protocol's libraries, as lines of this program's log.

They put texts of clients into their warnings, and tracebacks of clients that left in the midst of a request. Here each
becomes one line that is safe to print, and a few a second at most.
"""

from __future__ import annotations

import logging

from tools.serving.complaints import Complaints, is_departure

LIBRARIES = ("mcp", "sse_starlette")


def take_over_library_logs() -> None:
    """Let warnings and worse of the libraries go through this program's log. May be called again."""
    for name in LIBRARIES:
        logger = logging.getLogger(name)
        if not any(isinstance(handler, LibraryLogHandler) for handler in logger.handlers):
            logger.addHandler(LibraryLogHandler())
        logger.propagate = False


class LibraryLogHandler(logging.Handler):
    """Each record as one line."""

    def __init__(self, complaints: Complaints | None = None) -> None:
        super().__init__(logging.WARNING)
        self._complaints = complaints or Complaints()

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if not is_departure(error):
            self._complaints.tell(f"{record.name}: {record.getMessage()}", error)
