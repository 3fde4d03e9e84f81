"""Shutting a process in: first limits, then, when everything it needs is loaded, the rest.

What a kernel does not have is left out; the answer says what holds. The limits hold everywhere.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum

from tools.javascript_sandbox import kernel, landlock, seccomp

SPARE_SECONDS = 2
MEMORY = 384 << 20
"""Bytes of private writable memory. The address space has no limit: V8's own sandbox reserves a terabyte of it."""
_HIGHEST_DESCRIPTOR = 65_536


class Protection(StrEnum):
    """Active protections of a confined process, in readable form."""

    LIMITS = "limits on processor time, wall clock, memory, file size, open files and core dumps"
    NO_NEW_PRIVILEGES = "no new privileges"
    NO_CAPABILITIES = "no capabilities of the superuser"
    LANDLOCK = "Landlock: no files, no TCP"
    SECCOMP = "seccomp: no system calls but those of a running engine, no new executable memory"


def limit_time_and_files(seconds: int) -> None:
    """Apply the limits that allow the engine to be loaded afterwards. The parent ends the process after `seconds`; the
    kernel does so a little later, should the parent be gone.
    """
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CPU, seconds + SPARE_SECONDS)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds + SPARE_SECONDS)


def confine() -> list[Protection]:
    """Shut this process in, for good, with its three pipes and what is loaded by now; it has one thread. No file can be
    opened any more, no module be imported."""
    os.closerange(3, _HIGHEST_DESCRIPTOR)
    _limit(resource.RLIMIT_DATA, MEMORY)
    attempts: list[tuple[Protection, Callable[[], None]]] = [
        (Protection.NO_NEW_PRIVILEGES, _give_up_new_privileges),
        (Protection.LANDLOCK, landlock.give_up_files_and_network),
        (Protection.NO_CAPABILITIES, kernel.drop_capabilities),
        (Protection.LIMITS, _allow_no_more_files),  # after Landlock, whose rules are an open file for a moment
        (Protection.SECCOMP, _refuse_system_calls),  # last: it refuses the calls of all the others
    ]
    return [protection for protection, attempt in attempts if _holds(attempt)]


def _holds(attempt: Callable[[], None]) -> bool:
    with suppress(OSError, AttributeError):  # AttributeError: another system's C library has no such function
        attempt()
        return True
    return False


def _limit(which: int, most: int) -> None:
    """Set a limit that cannot be raised again; one that is lower already stays."""
    known = [limit for limit in resource.getrlimit(which) if limit != resource.RLIM_INFINITY]
    allowed = min([most, *known])
    resource.setrlimit(which, (allowed, allowed))


def _allow_no_more_files() -> None:
    _limit(resource.RLIMIT_NOFILE, 0)


def _give_up_new_privileges() -> None:
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def _refuse_system_calls() -> None:
    known = seccomp.processor()
    if known is None:
        raise OSError("no filter for this processor")
    seccomp.refuse_other_system_calls(known)
