"""A clock that stands still while anybody works, threads included, and jumps when all wait: deadlines pass, however
fast the machine is."""

from __future__ import annotations

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

JUMP = 60.0
_CUSHION = 0.002


async def jump_when_idle(clock: MockClock) -> None:
    """Let time pass until cancelled. trio's own autojump does not know of threads."""
    threads = trio.to_thread.current_default_thread_limiter()
    while True:
        await wait_all_tasks_blocked(_CUSHION)
        if not threads.borrowed_tokens:
            clock.jump(JUMP)
