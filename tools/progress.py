"""Progress of a call that waits, for clients that asked for it. Without one, telling costs nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Report = Callable[[float, str], Awaitable[None]]
"""Takes the seconds since the call began, which only grow, and a few words."""

_current: ContextVar[Report | None] = ContextVar("progress", default=None)


@contextmanager
def reporting_to(report: Report) -> Iterator[None]:
    """Within the block, and in what it calls, progress goes to `report`."""
    token = _current.set(report)
    try:
        yield
    finally:
        _current.reset(token)


async def report_progress(seconds: float, text: str) -> None:
    """Report the progress of this call to its client. Raises what the report raises."""
    report = _current.get()
    if report is not None:
        await report(seconds, text)
