"""Patience: how long to try, with waits that let the worker's pulse continue."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_PULSE_SECONDS = 0.2


@dataclass(frozen=True)
class Patience:
    """Seconds: one fetch tries for `fetch`, or only `when_down` after one that failed; waits between tries double from
    `first_wait` to `max_wait`. The chain counts as lost when `lost_after` seconds have passed without an answer and
    `lost_failures` fetches have failed since the last one."""

    fetch: float = 25.0
    when_down: float = 5.0
    first_wait: float = 0.25
    max_wait: float = 4.0
    lost_after: float = 120.0
    lost_failures: int = 3


@dataclass
class Clock:
    """Time and chance, so that tests need neither. `pulse` is called while waiting; it may raise to give up."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    pulse: Callable[[], None] = lambda: None
    jitter: random.Random = field(default_factory=random.Random)

    def wait(self, seconds: float) -> None:
        """Sleep, with a pulse several times a second."""
        end = self.now() + seconds
        while (rest := end - self.now()) > 0:
            self.sleep(min(rest, _PULSE_SECONDS))
            self.pulse()
