"""One fetch at a time for the same thing, over all processes that share a cache."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_STRIPES: Final = 1 << 20
_POLL_SECONDS: Final = 0.01
_MAX_POLLS: Final = 3000


class SingleFlight:
    """Locks on single bytes of a file, which end with the process that holds them. Without the file, nothing is
    locked: things are then fetched twice at worst. `wait` sleeps for some seconds."""

    def __init__(self, path: Path, wait: Callable[[float], None]) -> None:
        self._wait = wait
        self._descriptor = -1
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    @contextmanager
    def only(self, name: bytes) -> Iterator[None]:
        """Hold the lock of a name for the block; others who want it wait, half a minute at most."""
        place = int.from_bytes(hashlib.blake2b(name, digest_size=4).digest(), "big") % _STRIPES
        held = self._acquire(place)
        try:
            yield
        finally:
            if held:
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, place)

    def _acquire(self, place: int) -> bool:
        if self._descriptor < 0:
            return False
        for _ in range(_MAX_POLLS):
            try:
                fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except BlockingIOError:
                self._wait(_POLL_SECONDS)
            except OSError:
                return False
            else:
                return True
        return False
