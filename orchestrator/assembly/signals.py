"""SIGINT, SIGTERM and SIGHUP: the first asks for a good end, the second for a quick one, the third ends at once."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import trio

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _hangup() -> tuple[signal.Signals, ...]:
    """A closed terminal ends the campaign, unless `nohup` or the like asked for the contrary."""
    return () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)


@dataclass
class Interruption:
    """Whether and how urgently a person wants the program to end. Phases put in what their end takes: `gently` is
    awaited at the first signal, `quick` is cancelled at the second (or at the first, where `gently` is None)."""

    count: int = 0
    gently: Callable[[], Awaitable[None]] | None = None
    quick: trio.CancelScope | None = None

    async def watch(self, everything: trio.CancelScope, *, task_status: trio.TaskStatus[None]) -> None:
        """Receive signals until cancelled. `everything` is cancelled at the third."""
        with trio.open_signal_receiver(*SIGNALS, *_hangup()) as received:
            task_status.started()
            async for _ in received:
                self.count += 1
                await self._act(everything)

    async def _act(self, everything: trio.CancelScope) -> None:
        if self.count == 1 and self.gently is not None:
            await self.gently()
        elif self.count <= 2 and self.quick is not None:
            self.quick.cancel(reason="interrupted")
        elif self.quick is None or self.count > 2:
            everything.cancel(reason="interrupted")
