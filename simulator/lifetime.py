"""Processes that do not outlive the one that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, exit_code: int) -> None:
    """Let the operating system end this process when the thread that started it ends; at once, with `exit_code`, when
    the parent is no longer the process that `parent` names. Only Linux can do the former."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(exit_code)
