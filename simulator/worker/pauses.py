"""Pauses in the middle of calls, however long these take: a thread asks for one while a command waits to be read.

Native code runs without the interpreter's lock. The thread sets a flag that it looks at before every block, and the
session, asked in the pause, says whether the call continues. Without commands nothing pauses.
"""

from __future__ import annotations

import threading
from types import TracebackType

from simulator.evm.machine import Machine
from simulator.worker.channel import Channel

PERIOD = 0.02
"""Seconds between two looks."""


class PauseTimer:
    """Runs within the block of a `with`."""

    def __init__(self, channel: Channel, period: float = PERIOD) -> None:
        self._channel = channel
        self._period = period
        self._machine: Machine | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pauses", daemon=True)

    def watch(self, machine: Machine) -> None:
        """Pause this machine. Until somebody else answers for it, a call is stopped by what ends all work."""
        machine.is_stopped = self._channel.is_interrupted
        self._machine = machine

    def __enter__(self) -> PauseTimer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(self._period):
            machine = self._machine
            if machine is not None and machine.running and self._channel.has_waiting():
                machine.context.wants_pause = True
