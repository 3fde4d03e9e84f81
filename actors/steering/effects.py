"""At which call commands took effect: what makes a recorded campaign repeatable.

Workers act on steering between two native batches, at a moment that depends on the clock. They then say how many
commands they have acted on, and how many calls they had made. With one worker the campaign's number of calls follows
exactly, and the same commands at the same numbers are the same campaign; with more it is the campaign's total when the
last of them acted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import trio

from actors.runtime.mailbox import Ask
from actors.steering.commands import AnyCommand
from simulator.worker.reports import Obeyed


class Effect:
    """`calls` the campaign had made when a command took effect; None before that, and where it is unknown."""

    def __init__(self) -> None:
        self.calls: int | None = None
        self._settled = trio.Event()

    @property
    def is_settled(self) -> bool:
        return self._settled.is_set()

    def settle(self, calls: int | None) -> None:
        """For the campaign. The first word counts."""
        if not self.is_settled:
            self.calls = calls
            self._settled.set()

    async def settled(self) -> int | None:
        """Wait until it is known, at the latest at the end of the campaign."""
        await self._settled.wait()
        return self.calls


class WatchedAsk(Ask[AnyCommand, object]):
    """A command with a caller that waits for its effect."""

    __slots__ = ("effect",)

    def __init__(self, message: AnyCommand, effect: Effect) -> None:
        super().__init__(message)
        self.effect = effect


class _Process:
    """One worker process: commands sent and acted on. `base` are the campaign's calls before its first."""

    def __init__(self, base: int) -> None:
        self.base = base
        self.told = 0
        self.last = Obeyed(0, 0)


class SteeringEffects:
    """Books on who acted on what; owned by the steering actor. `calls` counts those of the campaign."""

    def __init__(self, calls: Callable[[], int]) -> None:
        self._calls = calls
        self._processes: dict[int, _Process] = {}
        self._waiting: list[tuple[Effect, dict[int, int]]] = []
        self._at_end: list[Effect] = []

    def begin(self, worker: int) -> None:
        """A process of this worker is ready. It is unknown on which commands its predecessor acted."""
        self.lose(worker)
        self._processes[worker] = _Process(self._calls())

    def lose(self, worker: int) -> None:
        """The worker's process is gone."""
        if self._processes.pop(worker, None) is not None:
            for effect, waits in self._waiting:
                if worker in waits:
                    effect.settle(None)
            self._tidy()

    def told(self, worker: int) -> None:
        """One more command is on its way to this worker."""
        if (process := self._processes.get(worker)) is not None:
            process.told += 1

    def obeyed(self, worker: int, frame: Obeyed) -> None:
        """The worker has acted on commands."""
        if (process := self._processes.get(worker)) is None:
            return
        process.last = frame
        for effect, waits in self._waiting:
            if worker in waits and frame.commands >= waits[worker]:
                del waits[worker]
                if not waits:
                    effect.settle(self._place(process))
        self._tidy()

    def watch(self, effect: Effect, workers: Iterable[int]) -> None:
        """The last command sent: it has taken effect when all these workers have acted on it."""
        known = {worker: self._processes[worker] for worker in workers if worker in self._processes}
        waits = {worker: one.told for worker, one in known.items() if one.last.commands < one.told}
        if waits:
            self._waiting.append((effect, waits))
        else:
            self.settle_now(effect)

    def settle_now(self, effect: Effect) -> None:
        """A command that has taken effect already."""
        effect.settle(self._calls())

    def watch_end(self, effect: Effect) -> None:
        """A command that takes effect with the end of the campaign."""
        self._at_end.append(effect)

    def close(self) -> None:
        """The campaign has ended."""
        for effect in (*self._at_end, *(effect for effect, _ in self._waiting)):
            self.settle_now(effect)
        self._waiting.clear()

    def _place(self, process: _Process) -> int:
        return process.base + process.last.calls if len(self._processes) == 1 else self._calls()

    def _tidy(self) -> None:
        self._waiting = [(effect, waits) for effect, waits in self._waiting if not effect.is_settled]
