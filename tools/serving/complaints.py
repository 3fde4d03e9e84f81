"""Log lines that clients can cause: a few a second at most, safe to print, none longer than a line."""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog
from starlette.requests import ClientDisconnect

SECONDS = 1.0
LONGEST = 300
_logger = structlog.get_logger(__name__)


class Complaints:
    """At most one line a second; the next one says how many were left out. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, log: Callable[..., object] | None = None) -> None:
        self._clock = clock
        self._log = log
        self._next = float("-inf")
        self._left_out = 0

    def tell(self, what: str, error: BaseException | None = None) -> None:
        """One line of warning, with the innermost cause of `error`. Raises nothing where the log cannot be written."""
        now = self._clock()
        if now < self._next:
            self._left_out += 1
            return
        try:
            self._write(what, error)
        except OSError:
            self._left_out += 1
        else:
            self._next, self._left_out = now + SECONDS, 0

    def _write(self, what: str, error: BaseException | None) -> None:
        fields: dict[str, object] = {"reason": described(error)} if error is not None else {}
        if self._left_out:
            fields["left_out"] = self._left_out
        (self._log or _logger.warning)(printable(what), **fields)


def printable(text: str) -> str:
    """A text of a client's as one line of ASCII: control characters and what is no ASCII appear escaped."""
    escaped = text.encode("unicode_escape", "backslashreplace").decode("ascii")
    return escaped if len(escaped) <= LONGEST else f"{escaped[:LONGEST]}..."


def described(error: BaseException) -> str:
    """The innermost cause of an error and its place, as one line that is safe to print."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    code = frames.tb_frame.f_code if frames is not None else None
    place = f" in {code.co_name} ({code.co_filename.rsplit('/', 1)[-1]}:{frames.tb_lineno})" if code and frames else ""
    return printable(f"{type(error).__name__}: {error}{place}")


def is_departure(error: BaseException | None) -> bool:
    """True if all that happened is that a client went away in the midst of its request."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_departure, error.exceptions))
    return isinstance(error, ClientDisconnect)
