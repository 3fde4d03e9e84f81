"""SIGINT, SIGTERM and SIGHUP in a campaign: the first asks for a good end, the second for a quick one, the third ends
it at once, and a fourth ends the process (`orchestrator.interrupts`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field

import trio

from orchestrator.interrupts import INTERRUPTED, listening

FINDINGS = 1


@dataclass
class Interruption:
    """The user's wish to end the campaign, and how urgent it is. Each phase sets what its end takes: `gently` is
    awaited at the first signal, `quick` is cancelled at the second (or at the first, where `gently` is None).
    `failed_tests` counts those that failed by now."""

    count: int = 0
    gently: Callable[[], Awaitable[None]] | None = None
    quick: trio.CancelScope | None = None
    failed_tests: Callable[[], int] = lambda: 0
    _early: int = 0
    _token: trio.lowlevel.TrioToken | None = None
    _received: trio.Semaphore = field(default_factory=lambda: trio.Semaphore(0))

    def listening(self) -> AbstractContextManager[None]:
        """Receive the signals of the process in this block, which may begin before and end after trio runs."""
        return listening(self._note, exit_code=self.exit_code)

    def exit_code(self) -> int:
        """The code of a campaign that ends now."""
        return FINDINGS if self.failed_tests() else INTERRUPTED

    async def watch(self, everything: trio.CancelScope, *, task_status: trio.TaskStatus[None]) -> None:
        """Act on signals until cancelled, those from before first. `everything` is cancelled at the third."""
        self._token = trio.lowlevel.current_trio_token()
        for _ in range(self._early):
            self._received.release()
        task_status.started()
        async with trio.open_nursery() as ends:
            while True:
                await self._received.acquire()
                self.count += 1
                self._act(everything, ends)

    def _note(self) -> None:
        """Note a signal. The handler calls it between any two bytecodes."""
        if self._token is None:
            self._early += 1
            return
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._received.release)

    def _act(self, everything: trio.CancelScope, ends: trio.Nursery) -> None:
        if self.count == 1 and self.gently is not None:
            # It may have to wait, and a second signal must not wait for it.
            ends.start_soon(self.gently)
        elif self.count <= 2 and self.quick is not None:
            self.quick.cancel(reason="interrupted")
        elif self.quick is None or self.count > 2:
            everything.cancel(reason="interrupted")
