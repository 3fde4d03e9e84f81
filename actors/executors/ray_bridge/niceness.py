"""Niceness of a host: Ray starts its workers far behind everything else, and what they start inherits it."""

from __future__ import annotations

import os
from contextlib import suppress

from actors.workers.process import NICE

ASKED = "RAY_worker_niceness"
"""Ray's own setting, in the environment of `ray start`. Where it is set, it counts."""


def take_niceness_of_raylet() -> int:
    """Give all threads of this process the niceness of its parent, unless the user set Ray's own.

    Returns the niceness of workers where it stays above that of workers on one machine and nobody asked for it, as
    without the privilege to lower it; else 0.
    """
    if ASKED in os.environ:
        return 0
    wanted = os.getpriority(os.PRIO_PROCESS, os.getppid())
    for thread in os.listdir("/proc/self/task"):
        with suppress(OSError):  # a thread that has ended, or no privilege
            os.setpriority(os.PRIO_PROCESS, int(thread), wanted)
    now = os.getpriority(os.PRIO_PROCESS, 0)
    return now if now > max(NICE, wanted) else 0
