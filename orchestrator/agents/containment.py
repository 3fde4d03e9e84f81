"""Optional parts of a server: their failure is reported in one line, and the campaign continues."""

from __future__ import annotations

from typing import Protocol

import structlog
import trio

from tools.serving.complaints import described

_logger = structlog.get_logger(__name__)


class _Start(trio.TaskStatus[None]):
    """Passes on that a part has started, and remembers it."""

    def __init__(self, outer: trio.TaskStatus[None]) -> None:
        self._outer = outer
        self.was_made = False

    def started(self, value: None = None) -> None:
        self.was_made = True
        self._outer.started(value)


class Part(Protocol):
    """Something that serves until it is cancelled."""

    async def __call__(self, *, task_status: trio.TaskStatus[None]) -> None: ...


async def contained(loss: str, serve: Part, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
    """Run a part until it ends; `loss` says what is missing without it. Raises what it raises before it has started."""
    start = _Start(task_status)
    try:
        await serve(task_status=start)
    except Exception as error:  # the boundary of one part
        if not start.was_made:
            raise
        _logger.error(f"{loss}; the campaign continues", reason=described(error))
