"""The process that something on disk belongs to, distinguished from later processes with the same number."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec
import psutil

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_STATE, _START = 0, 19  # places in /proc/PID/stat after the command's name


class Owner(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A process: its number, and when it was started, because numbers are used again.

    On Linux `started` is in ticks since the boot that `boot` names, so that setting the clock changes nothing, and
    `namespace` is where the number counts. Elsewhere `started` is in seconds since 1970.
    """

    pid: int
    started: float
    boot: str = ""
    namespace: str = ""

    def is_alive(self) -> bool:
        """True if the process runs, as far as this one can see."""
        if not self.boot:
            return _runs_since(self.pid, self.started)
        return self.boot == _boot() and _ticks(self.pid) == self.started

    def is_gone(self) -> bool:
        """True if the process has certainly ended: false for one that only another container could see."""
        hidden = self.boot == _boot() and self.namespace != _namespace()
        return not hidden and not self.is_alive()


@cache
def this_process() -> Owner:
    if sys.platform == "linux" and (ticks := _ticks(os.getpid())) is not None and _boot():
        return Owner(os.getpid(), ticks, _boot(), _namespace())
    return Owner(os.getpid(), psutil.Process().create_time())


def _runs_since(pid: int, started: float) -> bool:
    try:
        return abs(psutil.Process(pid).create_time() - started) < 1.0
    except (psutil.Error, ValueError, OverflowError):  # not the number of any process
        return False


def _ticks(pid: int) -> float | None:
    """Return the moment a process was started; None when there is none, or only what its parent has not taken notice
    of."""
    with suppress(OSError, ValueError, IndexError):
        # The name stands in parentheses and may hold any character.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return None if fields[_STATE] in (b"Z", b"X") else float(fields[_START])
    return None


@cache
def _boot() -> str:
    with suppress(OSError):
        return _BOOT_ID.read_text().strip()
    return ""


@cache
def _namespace() -> str:
    with suppress(OSError):
        return os.readlink("/proc/self/ns/pid")
    return ""
